import { RetryableError } from '../../../fetching/failure.ts'
import type { Direction } from '../../chain/transfers.ts'
import type { ChainOf } from '../coverage.ts'
import type { Ledger } from '../ledger.ts'
import { beginTransfers, lockChain, rollBackTransfers } from './transfer-coverage.ts'
import { toCellStart } from './transfer-plan.ts'

/** Publishing every few minutes leaves a chunk each time; this many of one cell are merged. */
const MERGED_CHUNKS = 32
/** A query takes seconds, and reads only attempts that were covered when it began. */
const MAX_READ_MS = 15 * 60_000
const ATTEMPTS_AT_ONCE = 1_000

type Housekeeping = ChainOf & { readonly ledger: Ledger; readonly now: Date }

/**
 * Cleans up after an ended process: gives up its attempts, and removes from the coverage what the ledger does
 * not contain, so that it is read again.
 * @returns the first block that is read again; null when everything is present.
 */
export async function repairTransfers(
  housekeeping: Housekeeping,
  signal: AbortSignal,
): Promise<number | null> {
  const { state, chain, ledger, now } = housekeeping
  await state.db
    .updateTable('transfer_chunk')
    .set({ status: 'retired', changed_at: now.getTime() })
    .where('chain', '=', chain)
    .where('status', '=', 'writing')
    .execute()
  const rows = await ledger.rows(
    `SELECT attempt, count() FROM ${ledger.transfers.table} GROUP BY attempt`,
    signal,
  )
  const held = new Map(rows.map(([attempt, count]) => [Number(attempt), Number(count)]))
  const chunks = await state.db
    .selectFrom('transfer_chunk')
    .select(['attempt', 'first_block', 'transfers'])
    .where('chain', '=', chain)
    .where('status', '=', 'covered')
    .orderBy('first_block')
    .execute()
  const damaged = chunks.find(({ attempt, transfers }) => (held.get(attempt) ?? 0) !== transfers)
  if (!damaged) return null
  await state.db.transaction().execute(async (transaction) => {
    await lockChain(transaction, chain)
    await rollBackTransfers(transaction, { chain, fromBlock: damaged.first_block, now })
  })
  return toCellStart(damaged.first_block)
}

/**
 * Merges the chunks of the first cell that has enough of them.
 * @returns how many chunks were merged into one; 0 when there was nothing to do.
 * @throws RetryableError when a rollback interfered; nothing is changed then.
 */
export async function mergeTransfers(housekeeping: Housekeeping, signal: AbortSignal): Promise<number> {
  const { state, chain, ledger, now } = housekeeping
  const found = await findCell(housekeeping)
  if (!found) return 0
  const { direction, chunks } = found
  const range = {
    firstBlock: Math.min(...chunks.map((chunk) => chunk.first_block)),
    endBlock: Math.max(...chunks.map((chunk) => chunk.end_block)),
  }
  const from = chunks.map((chunk) => chunk.attempt)
  const attempt = await beginTransfers({ state, chain, direction }, range, now)
  await ledger.transfers.merge(attempt, from, signal)
  await state.db.transaction().execute(async (transaction) => {
    await lockChain(transaction, chain)
    const retired = await transaction
      .updateTable('transfer_chunk')
      .set({ status: 'retired', changed_at: now.getTime() })
      .where('chain', '=', chain)
      .where('status', '=', 'covered')
      .where('attempt', 'in', from)
      .returning('transfers')
      .execute()
    if (retired.length !== from.length)
      throw new RetryableError('transfers were rolled back during their merge')
    await transaction
      .updateTable('transfer_chunk')
      .set({
        status: 'covered',
        transfers: retired.reduce((sum, chunk) => sum + chunk.transfers, 0),
        changed_at: now.getTime(),
      })
      .where('chain', '=', chain)
      .where('attempt', '=', attempt)
      .execute()
  })
  return from.length
}

/** Deletes rows that no query can be reading any more. @returns how many attempts were deleted. */
export async function removeRetiredTransfers(
  housekeeping: Housekeeping,
  signal: AbortSignal,
): Promise<number> {
  const { state, chain, ledger, now } = housekeeping
  const retired = await state.db
    .selectFrom('transfer_chunk')
    .select('attempt')
    .where('chain', '=', chain)
    .where('status', '=', 'retired')
    .where('changed_at', '<', now.getTime() - MAX_READ_MS)
    .limit(ATTEMPTS_AT_ONCE)
    .execute()
  if (retired.length === 0) return 0
  const attempts = retired.map((chunk) => chunk.attempt)
  await ledger.transfers.remove(attempts, signal)
  await state.db
    .deleteFrom('transfer_chunk')
    .where('chain', '=', chain)
    .where('status', '=', 'retired')
    .where('attempt', 'in', attempts)
    .execute()
  return attempts.length
}

async function findCell({ state, chain }: ChainOf) {
  const chunks = await state.db
    .selectFrom('transfer_chunk')
    .select(['attempt', 'direction', 'first_block', 'end_block'])
    .where('chain', '=', chain)
    .where('status', '=', 'covered')
    .orderBy('first_block')
    .execute()
  const cells = Map.groupBy(chunks, (chunk) => `${chunk.direction} ${toCellStart(chunk.first_block)}`)
  const cell = [...cells.values()].find(({ length }) => length >= MERGED_CHUNKS)
  const direction: Direction | undefined = cell?.[0]?.direction
  return cell && direction ? { direction, chunks: cell } : null
}
