import { type Housekeeping, PAYMENT_CHUNKS } from '../chunk-journal.ts'
import { dropBefore, readCoverage } from '../coverage/coverage.ts'
import { PARTITION_SECONDS } from '../engine/table.ts'

const WEEK_SECONDS = 604_800

export type Retention = Housekeeping & {
  /** How many weeks before now are retained. */
  readonly weeks: number
  /** Ends of the published weeks, epoch seconds. */
  readonly publishedEnds: readonly number[]
}

/**
 * Drops whole chunks of payments that are older than this many weeks and published; housekeeping deletes
 * rows.
 * @returns the first block that is still covered; null when there was nothing to drop.
 */
export async function dropOldPayments(retention: Retention, signal: AbortSignal): Promise<number | null> {
  const { state, chain, ledger, now } = retention
  const until = findDroppable(retention)
  if (until === null) return null
  const { droppedUntil = 0 } = await readCoverage(retention)
  if (droppedUntil >= until) return null
  const young = await ledger.rows(
    `SELECT attempt FROM ${ledger.table} WHERE ts >= ${until} GROUP BY attempt`,
    signal,
  )
  const retained = new Set(young.map(([attempt]) => Number(attempt)))
  const chunks = await PAYMENT_CHUNKS.covered(retention)
  const firstKept = chunks.findIndex(({ attempt }) => retained.has(attempt))
  const old = firstKept < 0 ? chunks : chunks.slice(0, firstKept)
  // A chunk without payments has no known time; it is dropped only together with a later one.
  const last = old.findLast(({ rows }) => rows > 0)
  if (!last) return null
  await dropBefore({ state, chain }, { block: last.endBlock, until }, now)
  return last.endBlock
}

/**
 * Epoch seconds before which payments may be dropped, at the start of a partition; null when none may. A
 * week that ended after the first published one must be published before.
 */
function findDroppable({ now, weeks, publishedEnds }: Retention): number | null {
  const latest = now.getTime() / 1000 - weeks * WEEK_SECONDS
  const published = new Set(publishedEnds)
  let end = Math.min(...publishedEnds)
  if (!(end <= latest)) return null
  while (end + WEEK_SECONDS <= latest && published.has(end + WEEK_SECONDS)) end += WEEK_SECONDS
  return Math.floor(end / PARTITION_SECONDS) * PARTITION_SECONDS
}
