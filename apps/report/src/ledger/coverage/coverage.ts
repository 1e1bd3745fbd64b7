import type { Hex } from '@tollbook/chain/hex'
import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { Kysely, Transaction } from 'kysely'
import type { Checkpoint, Position } from '../../chain/follow.ts'
import type { Tables } from '../../state/tables.ts'
import { type ChainOf, PAYMENT_CHUNKS } from '../chunk-journal.ts'
import { dropTransfersBefore, rollBackTransfers } from './transfer-coverage.ts'

/** The blocks that were read, and the attempts that hold their payments in the ledger. */
export type Coverage = {
  readonly firstBlock: number
  /** The first block that was not read; there is no gap before it. */
  readonly endBlock: number
  readonly attempts: readonly number[]
  /** Payments before this time, epoch seconds, were read and dropped; absent when none were. */
  readonly droppedUntil?: number
}

export type NewChunk = BlockRange & {
  readonly attempt: number
  /** The last block; null if unknown, so that only an earlier checkpoint notices a reorganisation. */
  readonly checkpoint: Checkpoint | null
  readonly payments: number
  readonly misses: number
}

type Db = Kysely<Tables> | Transaction<Tables>

/** Inserts the row of a chain that was never indexed. The start of indexing is fixed by the first call. */
export async function startCoverage({ state, chain }: ChainOf, firstBlock: number, now: Date): Promise<void> {
  await state.db
    .insertInto('index_chain')
    .values({
      chain,
      first_block: firstBlock,
      next_block: firstBlock,
      changed_at: now.getTime(),
    })
    .onConflict((conflict) => conflict.column('chain').doNothing())
    .execute()
}

/** The position up to which the chain was read. @throws PermanentError when indexing never began. */
export async function readPosition({ state, chain }: ChainOf): Promise<Position> {
  const row = await readChain(state.db, chain)
  const checkpoints = await state.db
    .selectFrom('index_checkpoint')
    .select(['block', 'hash'])
    .where('chain', '=', chain)
    .orderBy('block', 'desc')
    .execute()
  return {
    firstBlock: row.first_block,
    nextBlock: row.next_block,
    // Only hashes are ever stored there.
    checkpoints: checkpoints.map(({ block, hash }) => ({ number: block, hash: hash as Hex })),
  }
}

/** What readers may see, consistently. @throws PermanentError when covered chunks leave a gap or overlap. */
export async function readCoverage({ state, chain }: ChainOf): Promise<Coverage> {
  // One statement, so that chunks and cursor belong to one snapshot.
  const rows = await state.db
    .selectFrom('index_chain')
    .leftJoin('index_chunk', (join) =>
      join.onRef('index_chunk.chain', '=', 'index_chain.chain').on('index_chunk.status', '=', 'covered'),
    )
    .select([
      'index_chain.first_block as start',
      'index_chain.next_block as next',
      'index_chain.dropped_until as droppedUntil',
      'index_chunk.first_block as first',
      'index_chunk.end_block as end',
      'index_chunk.attempt as attempt',
    ])
    .where('index_chain.chain', '=', chain)
    .orderBy('index_chunk.first_block')
    .execute()
  const [row] = rows
  if (!row) throw new PermanentError(`the chain ${chain} was never indexed`)
  let reached = row.start
  const attempts: number[] = []
  for (const { first, end, attempt } of rows) {
    if (first === null || end === null || attempt === null) continue
    if (first !== reached)
      throw new PermanentError(`the index is inconsistent at block ${Math.min(first, reached)}`)
    reached = end
    attempts.push(attempt)
  }
  if (reached !== row.next) throw new PermanentError(`the index has a gap at block ${reached}`)
  const dropped = row.droppedUntil === null ? {} : { droppedUntil: row.droppedUntil }
  return { firstBlock: row.start, endBlock: reached, attempts, ...dropped }
}

/** Reserves a unique attempt number before anything is written under it. */
export function beginAttempt(index: ChainOf, range: BlockRange, now: Date): Promise<number> {
  return PAYMENT_CHUNKS.begin(index, range, {}, now)
}

/** Makes rows on disk visible. @throws RetryableError when another indexer has moved the cursor meanwhile. */
export async function cover({ state, chain }: ChainOf, chunk: NewChunk, now: Date): Promise<void> {
  await state.db.transaction().execute(async (transaction) => {
    const moved = await transaction
      .updateTable('index_chain')
      .set({ next_block: chunk.endBlock, changed_at: now.getTime() })
      .where('chain', '=', chain)
      .where('next_block', '=', chunk.firstBlock)
      .returning('chain')
      .execute()
    if (moved.length === 0) throw new RetryableError('another indexer has read these blocks')
    const { attempt, payments, misses, checkpoint } = chunk
    await PAYMENT_CHUNKS.cover(transaction, { chain, now }, { attempt, payments, misses })
    if (!checkpoint) return
    await transaction
      .insertInto('index_checkpoint')
      .values({ chain, block: checkpoint.number, hash: checkpoint.hash })
      .execute()
  })
}

/** Removes every block from this one on, and those read with it. @returns the first to read again. */
export async function rollBack({ state, chain }: ChainOf, fromBlock: number, now: Date): Promise<number> {
  return state.db.transaction().execute(async (transaction) => {
    // Written first, so that PostgreSQL locks the row that guards the rest.
    await transaction
      .updateTable('index_chain')
      .set({ changed_at: now.getTime() })
      .where('chain', '=', chain)
      .execute()
    const dropped = await PAYMENT_CHUNKS.retire(transaction, { chain, now }, { ends: '>', block: fromBlock })
    const { next_block: reached } = await readChain(transaction, chain)
    const next = Math.min(reached, fromBlock, ...dropped)
    await transaction
      .updateTable('index_chain')
      .set({ next_block: next })
      .where('chain', '=', chain)
      .execute()
    await transaction
      .deleteFrom('index_checkpoint')
      .where('chain', '=', chain)
      .where('block', '>=', next)
      .execute()
    await rollBackTransfers(transaction, { chain, now }, next)
    return next
  })
}

/** As `rollBack`, at an operator's request. @throws PermanentError for a block that is not covered. */
export async function readAgain(target: ChainOf, fromBlock: number, now: Date): Promise<number> {
  const { firstBlock, endBlock } = await readCoverage(target)
  if (fromBlock < firstBlock || fromBlock >= endBlock)
    throw new PermanentError(
      `the ledger covers blocks ${firstBlock} to ${endBlock - 1}; block ${fromBlock} cannot be read again`,
    )
  return rollBack(target, fromBlock, now)
}

/** Moves the start of coverage to the end of a chunk; payments before `until`, epoch seconds, are gone. */
export async function dropBefore(
  { state, chain }: ChainOf,
  { block, until }: { readonly block: number; readonly until: number },
  now: Date,
): Promise<void> {
  await state.db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('index_chain')
      .set({ first_block: block, dropped_until: until, changed_at: now.getTime() })
      .where('chain', '=', chain)
      .execute()
    await PAYMENT_CHUNKS.retire(transaction, { chain, now }, { ends: '<=', block })
    await transaction
      .deleteFrom('index_checkpoint')
      .where('chain', '=', chain)
      .where('block', '<', block - 1)
      .execute()
    await dropTransfersBefore(transaction, { chain, now }, block)
  })
}

async function readChain(db: Db, chain: Hex) {
  const row = await db.selectFrom('index_chain').selectAll().where('chain', '=', chain).executeTakeFirst()
  if (!row) throw new PermanentError(`the chain ${chain} was never indexed`)
  return row
}

/** The payments of this time were read, but are older than the ledger's retention. */
export class PaymentsDropped extends PermanentError {
  override readonly name = 'PaymentsDropped'
}
