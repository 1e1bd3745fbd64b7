import { addGauge, addLabelledGauge } from '@tollbook/http/operations/gauges'
import type { Registry } from 'prom-client'
import type { State } from '../state/state.ts'

/** Adds gauges for stored listings and failing sources and hosts. Read from the state at each scrape. */
export function registerListingGauges(registry: Registry, state: State): void {
  addLabelledGauge(registry, {
    name: 'tollbook_report_endpoint_health',
    help: 'Listed endpoints by what the last unpaid request showed.',
    label: 'state',
    read: () =>
      state.db
        .selectFrom('report_endpoint_health')
        .select(({ fn }) => ['state as value', fn.countAll<number>().as('figure')])
        .groupBy('state')
        .execute(),
  })
  addGauge(registry, 'tollbook_report_listings', 'Stored listings of all sources.', () =>
    countListings(state),
  )
  addLabelledGauge(registry, {
    name: 'tollbook_report_listing_sources',
    help: 'Sources of listings by whether their last reading succeeded.',
    label: 'outcome',
    read: () => countSources(state),
  })
  addLabelledGauge(registry, {
    name: 'tollbook_report_listing_hosts',
    help: 'Hosts of merchants by whether their last visit succeeded.',
    label: 'outcome',
    read: () => countHosts(state),
  })
}

async function countListings({ db }: State): Promise<number> {
  const row = await db
    .selectFrom('report_listings')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

async function countSources({ db }: State) {
  const rows = await db.selectFrom('report_listing_sources').select('failed_at').execute()
  return countFailed(
    rows.map((row) => row.failed_at !== null),
    'read',
  )
}

async function countHosts({ db }: State) {
  const rows = await db.selectFrom('report_listing_hosts').select('failures').execute()
  return countFailed(
    rows.map((row) => row.failures > 0),
    'visited',
  )
}

function countFailed(all: readonly boolean[], success: string) {
  const failed = all.filter((hasFailed) => hasFailed).length
  return [
    { value: success, figure: all.length - failed },
    { value: 'failed', figure: failed },
  ]
}
