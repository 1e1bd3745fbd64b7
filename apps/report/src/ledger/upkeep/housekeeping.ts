import { type ChainOf, type CoveredChunk, type Housekeeping, PAYMENT_CHUNKS } from '../chunk-journal.ts'
import { PARTITION_SECONDS } from '../engine/table.ts'

/** Following the head writes a chunk every few seconds; this many contiguous ones are merged. */
const MERGED_CHUNKS = 64
/** A chunk of this many blocks is not merged further, so a week consists of about 75 of them. */
const LARGE_CHUNK_BLOCKS = 4_096
/** This far behind the head no reorganisation is expected; one that happens is still handled. */
const STEADY_BLOCKS = 256

/** Merges small chunks of the head. @returns how many. @throws RetryableError on a rollback. */
export async function mergeChunks(housekeeping: Housekeeping, signal: AbortSignal): Promise<number> {
  const chunks = await findSmallChunks(housekeeping)
  if (chunks.length < MERGED_CHUNKS) return 0
  await PAYMENT_CHUNKS.merge(housekeeping, { chunks, label: {} }, signal, (transaction, range) =>
    transaction
      .deleteFrom('index_checkpoint')
      .where('chain', '=', housekeeping.chain)
      .where('block', '>=', range.firstBlock)
      .where('block', '<', range.endBlock - 1)
      .execute(),
  )
  return chunks.length
}

/** Deletes rows that no query can be reading any more. @returns how many attempts were deleted. */
export function removeRetired(housekeeping: Housekeeping, signal: AbortSignal): Promise<number> {
  return PAYMENT_CHUNKS.removeRetired(housekeeping, signal, (inUse) =>
    removeWeeks(housekeeping, inUse, signal),
  )
}

/** Dropped weeks are deleted as a whole when nothing in them is being read, written or newer. */
async function removeWeeks(
  { state, chain, ledger }: Housekeeping,
  inUse: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<void> {
  const row = await state.db
    .selectFrom('index_chain')
    .select('dropped_until')
    .where('chain', '=', chain)
    .executeTakeFirst()
  if (!row?.dropped_until) return
  const rows = await ledger.rows(
    `SELECT intDiv(ts, ${PARTITION_SECONDS}), attempt FROM ${ledger.table} WHERE ts < ${row.dropped_until} ` +
      `GROUP BY intDiv(ts, ${PARTITION_SECONDS}), attempt`,
    signal,
  )
  const byWeek = Map.groupBy(rows, ([week]) => Number(week))
  for (const [week, ofWeek] of byWeek) {
    if (ofWeek.every(([, attempt]) => !inUse.has(Number(attempt)))) await ledger.removeWeek(week, signal)
  }
}

/** The oldest run of contiguous small chunks, without the newest blocks. */
async function findSmallChunks(index: ChainOf): Promise<readonly CoveredChunk[]> {
  const chunks = await PAYMENT_CHUNKS.covered(index)
  const steadyEnd = (chunks.at(-1)?.endBlock ?? 0) - STEADY_BLOCKS
  const run: CoveredChunk[] = []
  for (const chunk of chunks) {
    const isSmall = chunk.endBlock - chunk.firstBlock < LARGE_CHUNK_BLOCKS
    if (isSmall && chunk.endBlock <= steadyEnd) run.push(chunk)
    else if (run.length < MERGED_CHUNKS) run.length = 0
    if (run.length === MERGED_CHUNKS) break
  }
  return run
}
