import { Gauge, type Registry } from 'prom-client'
import type { State } from '../state/state.ts'

const GAUGES = {
  ledger_end_block: {
    labels: [],
    help: 'First block that the ledger does not hold.',
  },
  ledger_head_block: {
    labels: [],
    help: 'Newest block that may be read, when the indexer last requested it.',
  },
  ledger_current_timestamp_seconds: {
    labels: [],
    help: 'When the ledger last held every block that may be read, in epoch seconds.',
  },
  portal_chunks: {
    labels: ['portal', 'outcome'],
    help: 'Chunks of receipts requested from portals: read, rejected because the chain RPC disagreed, or failed.',
  },
  unknown_sender_payments: {
    labels: ['address'],
    help: 'Payments settled by the busiest wallets outside the list of facilitators, in the newest published week.',
  },
} as const satisfies Record<string, { readonly labels: readonly string[]; readonly help: string }>
type Name = keyof typeof GAUGES

/** Adds to a gauge of the indexer; 0 makes it exist. @param values of its labels, in their order. */
export async function countIndexed(
  { db }: State,
  {
    gauge,
    values,
    add = 1,
  }: { readonly gauge: Name; readonly values: readonly string[]; readonly add?: number },
): Promise<void> {
  await db
    .insertInto('report_indexer_gauges')
    .values({ gauge, label: JSON.stringify(values), value: add })
    .onConflict((conflict) =>
      conflict
        .columns(['gauge', 'label'])
        .doUpdateSet(({ ref, eb }) => ({ value: eb(ref('report_indexer_gauges.value'), '+', add) })),
    )
    .execute()
}

/** How often the position of the indexer is stored at most, ms. */
const RECORD_MS = 5_000

/** Returns a function that stores the position of the indexer, unless it has just done so. */
export function createPositionRecord({ db }: State, now: () => Date) {
  let recordedMs = Number.NEGATIVE_INFINITY
  return async ({ endBlock, head }: { readonly endBlock: number; readonly head: number }): Promise<void> => {
    if (performance.now() - recordedMs < RECORD_MS) return
    recordedMs = performance.now()
    const isCurrent = endBlock > head
    const values: readonly (readonly [Name, number])[] = [
      ['ledger_end_block', endBlock],
      ['ledger_head_block', head],
      ...(isCurrent
        ? [['ledger_current_timestamp_seconds', Math.floor(now().getTime() / 1000)] as const]
        : []),
    ]
    await db
      .insertInto('report_indexer_gauges')
      .values(values.map(([gauge, value]) => ({ gauge, label: '[]', value })))
      .onConflict((conflict) =>
        conflict.columns(['gauge', 'label']).doUpdateSet(({ ref }) => ({ value: ref('excluded.value') })),
      )
      .execute()
  }
}

/** Replaces all values of a gauge with one label. */
export async function replaceGauge(
  { db }: State,
  gauge: Name,
  values: readonly { readonly label: string; readonly value: number }[],
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('report_indexer_gauges').where('gauge', '=', gauge).execute()
    const rows = values.map(({ label, value }) => ({ gauge, label: JSON.stringify([label]), value }))
    if (rows.length > 0) await trx.insertInto('report_indexer_gauges').values(rows).execute()
  })
}

/** Adds what the indexer counts, also in another process. Read from the state at each scrape. */
export function registerIndexerGauges(registry: Registry, { db }: State): void {
  for (const [gauge, { labels, help }] of Object.entries(GAUGES)) {
    const clear = (exported: Gauge<string>) => {
      exported.reset()
      // Without labels a gauge is reset to 0, which is no position.
      if (labels.length === 0) exported.remove()
    }
    const exported = new Gauge<string>({
      name: `tollbook_report_${gauge}`,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        // If the store does not answer, the readiness check fails and the other metrics are still exported.
        const rows = await db
          .selectFrom('report_indexer_gauges')
          .select(['label', 'value'])
          .where('gauge', '=', gauge)
          .orderBy('label')
          .execute()
          .catch(() => null)
        if (rows) clear(this)
        for (const { label, value } of rows ?? []) {
          const values = JSON.parse(label) as readonly string[]
          this.set(Object.fromEntries(labels.map((name, at) => [name, values[at] ?? ''])), Number(value))
        }
      },
    })
    clear(exported)
  }
}
