import { Gauge, type Registry } from 'prom-client'
import type { State } from '../../state/state.ts'

/** Adds gauges for stored listings and failing sources and hosts. Read from the state at each scrape. */
export function registerListingGauges(registry: Registry, state: State): void {
  new Gauge({
    name: 'tollbook_report_endpoint_health',
    help: 'Listed endpoints by what the last unpaid request showed.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { fn } = state.db
      const rows = await state.db
        .selectFrom('report_endpoint_health')
        .select(['state', fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute()
        .catch(() => null)
      if (rows) this.reset()
      for (const row of rows ?? []) this.set({ state: row.state }, Number(row.count))
    },
  })
  new Gauge({
    name: 'tollbook_report_listings',
    help: 'Stored listings of all sources.',
    registers: [registry],
    async collect() {
      // When the store does not answer, the readiness check fails; the other metrics are still exported.
      const listings = await countListings(state).catch(() => null)
      if (listings !== null) this.set(listings)
    },
  })
  new Gauge({
    name: 'tollbook_report_listing_sources',
    help: 'Sources of listings by whether their last reading succeeded.',
    labelNames: ['outcome'],
    registers: [registry],
    async collect() {
      const sources = await countSources(state).catch(() => null)
      for (const [outcome, count] of Object.entries(sources ?? {})) this.set({ outcome }, count)
    },
  })
  new Gauge({
    name: 'tollbook_report_listing_hosts',
    help: 'Hosts of merchants by whether their last visit succeeded.',
    labelNames: ['outcome'],
    registers: [registry],
    async collect() {
      const hosts = await countHosts(state).catch(() => null)
      for (const [outcome, count] of Object.entries(hosts ?? {})) this.set({ outcome }, count)
    },
  })
}

async function countListings({ db }: State): Promise<number> {
  const row = await db
    .selectFrom('report_listings')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

async function countSources({ db }: State): Promise<Readonly<Record<'read' | 'failed', number>>> {
  const rows = await db.selectFrom('report_listing_sources').select('failed_at').execute()
  const failed = rows.filter((row) => row.failed_at !== null).length
  return { read: rows.length - failed, failed }
}

async function countHosts({ db }: State): Promise<Readonly<Record<'visited' | 'failed', number>>> {
  const rows = await db.selectFrom('report_listing_hosts').select('failures').execute()
  const failed = rows.filter((row) => row.failures > 0).length
  return { visited: rows.length - failed, failed }
}
