import { RetryableError } from '../../fetching/failure.ts'
import { beginAttempt, type ChainOf } from './coverage.ts'
import type { Ledger } from './ledger.ts'
import { PARTITION_SECONDS } from './table.ts'

/** Following the head writes a chunk every few seconds; this many contiguous ones are merged. */
const MERGED_CHUNKS = 64
/** A chunk of this many blocks is not merged further, so a week consists of about 75 of them. */
const LARGE_CHUNK_BLOCKS = 4_096
/** This far behind the head no reorganisation is expected; one that happens is still handled. */
const STEADY_BLOCKS = 256
/** A query takes seconds, and reads only attempts that were covered when it began. */
const MAX_READ_MS = 15 * 60_000

type Housekeeping = ChainOf & { readonly ledger: Ledger; readonly now: Date }

/** Gives up the attempts of an ended process: its rows were never visible, and are deleted later. */
export async function giveUpAttempts({ state, chain, now }: Omit<Housekeeping, 'ledger'>): Promise<void> {
  await state.db
    .updateTable('index_chunk')
    .set({ status: 'retired', changed_at: now.getTime() })
    .where('chain', '=', chain)
    .where('status', '=', 'writing')
    .execute()
}

/**
 * Compares the coverage with the ledger's contents, in case a folder was lost or a state restored from an
 * older copy.
 * @returns the first block of the first chunk whose rows are missing or duplicated; null when all are
 * present.
 */
export async function findDamage({ state, chain, ledger }: Housekeeping, signal: AbortSignal) {
  const rows = await ledger.rows(`SELECT attempt, count() FROM ${ledger.table} GROUP BY attempt`, signal)
  const held = new Map(rows.map(([attempt, count]) => [Number(attempt), Number(count)]))
  const chunks = await state.db
    .selectFrom('index_chunk')
    .select(['attempt', 'first_block', 'payments'])
    .where('chain', '=', chain)
    .where('status', '=', 'covered')
    .orderBy('first_block')
    .execute()
  const damaged = chunks.find(({ attempt, payments }) => (held.get(attempt) ?? 0) !== payments)
  return damaged?.first_block ?? null
}

/**
 * Merges small chunks left by following the head, when there are enough of them.
 * @returns how many chunks were merged into one; 0 when there was nothing to do.
 * @throws RetryableError when a rollback interfered; nothing is changed then.
 */
export async function mergeChunks(housekeeping: Housekeeping, signal: AbortSignal): Promise<number> {
  const { state, chain, ledger, now } = housekeeping
  const small = await findSmallChunks(housekeeping)
  const [first, last] = [small[0], small.at(-1)]
  if (small.length < MERGED_CHUNKS || !first || !last) return 0
  const range = { firstBlock: first.first_block, endBlock: last.end_block }
  const from = small.map((chunk) => chunk.attempt)
  const attempt = await beginAttempt(housekeeping, range, now)
  await ledger.merge(attempt, from, signal)
  await state.db.transaction().execute(async (transaction) => {
    const retired = await transaction
      .updateTable('index_chunk')
      .set({ status: 'retired', changed_at: now.getTime() })
      .where('chain', '=', chain)
      .where('status', '=', 'covered')
      .where('attempt', 'in', from)
      .returning(['payments', 'misses'])
      .execute()
    if (retired.length !== from.length) throw new RetryableError('chunks were rolled back during their merge')
    await transaction
      .updateTable('index_chunk')
      .set({
        status: 'covered',
        payments: retired.reduce((sum, chunk) => sum + chunk.payments, 0),
        misses: retired.reduce((sum, chunk) => sum + chunk.misses, 0),
        changed_at: now.getTime(),
      })
      .where('chain', '=', chain)
      .where('attempt', '=', attempt)
      .execute()
    // A rollback into the merged chunk reads all of it again, so only its last block is worth comparing.
    await transaction
      .deleteFrom('index_checkpoint')
      .where('chain', '=', chain)
      .where('block', '>=', range.firstBlock)
      .where('block', '<', range.endBlock - 1)
      .execute()
  })
  return from.length
}

/** Deletes rows that no query can be reading any more. @returns how many attempts were deleted. */
export async function removeRetired(housekeeping: Housekeeping, signal: AbortSignal): Promise<number> {
  const { state, chain, ledger, now } = housekeeping
  const oldestReadMs = now.getTime() - MAX_READ_MS
  const retired = await state.db
    .selectFrom('index_chunk')
    .select('attempt')
    .where('chain', '=', chain)
    .where('status', '=', 'retired')
    .where('changed_at', '<', oldestReadMs)
    .limit(1_000)
    .execute()
  if (retired.length === 0) return 0
  await removeWeeks(housekeeping, oldestReadMs, signal)
  const attempts = retired.map((chunk) => chunk.attempt)
  await ledger.remove(attempts, signal)
  await state.db
    .deleteFrom('index_chunk')
    .where('chain', '=', chain)
    .where('status', '=', 'retired')
    .where('attempt', 'in', attempts)
    .execute()
  return attempts.length
}

/** Dropped weeks are deleted as a whole when nothing in them is being read, written or newer. */
async function removeWeeks(
  { state, chain, ledger }: Housekeeping,
  oldestReadMs: number,
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
  if (rows.length === 0) return
  const used = await state.db
    .selectFrom('index_chunk')
    .select('attempt')
    .where('chain', '=', chain)
    .where((where) => where.or([where('status', '!=', 'retired'), where('changed_at', '>=', oldestReadMs)]))
    .execute()
  const isUsed = new Set(used.map(({ attempt }) => attempt))
  const byWeek = Map.groupBy(rows, ([week]) => Number(week))
  for (const [week, ofWeek] of byWeek) {
    if (ofWeek.every(([, attempt]) => !isUsed.has(Number(attempt)))) await ledger.removeWeek(week, signal)
  }
}

/** The oldest run of contiguous small chunks, without the newest blocks. */
async function findSmallChunks({ state, chain }: ChainOf) {
  const chunks = await state.db
    .selectFrom('index_chunk')
    .select(['attempt', 'first_block', 'end_block'])
    .where('chain', '=', chain)
    .where('status', '=', 'covered')
    .orderBy('first_block')
    .execute()
  const steadyEnd = (chunks.at(-1)?.end_block ?? 0) - STEADY_BLOCKS
  const run: typeof chunks = []
  for (const chunk of chunks) {
    const isSmall = chunk.end_block - chunk.first_block < LARGE_CHUNK_BLOCKS
    if (isSmall && chunk.end_block <= steadyEnd) run.push(chunk)
    else if (run.length < MERGED_CHUNKS) run.length = 0
    if (run.length === MERGED_CHUNKS) break
  }
  return run
}
