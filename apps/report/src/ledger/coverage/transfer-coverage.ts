import type { Address, Hex } from '@tollbook/chain/hex'
import { RetryableError } from '@tollbook/flow/failure'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { Direction } from '@tollbook/verify/chain/transfers'
import type { Transaction } from 'kysely'
import type { Checkpoint } from '../../chain/follow.ts'
import type { Tables } from '../../state/tables.ts'
import { type ChainOf, type Change, lockChain, TRANSFER_CHUNKS } from '../chunk-journal.ts'
import { type Piece, type Spans, toCellStart } from './transfer-plan.ts'

/** Far below SQLite's limit on the parameters of a statement. */
const WALLETS_PER_STATEMENT = 5_000

type DirectionOf = ChainOf & { readonly direction: Direction }

/** The blocks that were read for each wallet whose transfers are indexed. */
export async function readSpans({ state, chain, direction }: DirectionOf): Promise<Spans> {
  const rows = await state.db
    .selectFrom('transfer_span')
    .select(['wallet', 'first_block', 'end_block'])
    .where('chain', '=', chain)
    .where('direction', '=', direction)
    .orderBy('first_block')
    .execute()
  const spans = new Map<Address, BlockRange[]>()
  for (const { wallet, first_block: firstBlock, end_block: endBlock } of rows) {
    // Only addresses are ever stored there.
    const own = spans.get(wallet as Address)
    if (own) own.push({ firstBlock, endBlock })
    else spans.set(wallet as Address, [{ firstBlock, endBlock }])
  }
  return spans
}

export async function readTransferAttempts(
  { state, chain, direction }: DirectionOf,
  { firstBlock, endBlock }: BlockRange,
): Promise<readonly number[]> {
  const rows = await state.db
    .selectFrom('transfer_chunk')
    .select('attempt')
    .where('chain', '=', chain)
    .where('direction', '=', direction)
    .where('status', '=', 'covered')
    .where('end_block', '>', firstBlock)
    .where('first_block', '<', endBlock)
    .orderBy('first_block')
    .execute()
  return rows.map(({ attempt }) => attempt)
}

export type WrittenPiece = Piece & {
  readonly attempt: number
  readonly transfers: number
  /** A block at or after the piece that was on the chain both before and after it was read. */
  readonly checkpoint: Checkpoint
}

/** Makes rows on disk visible. @throws RetryableError after a rollback, or if another indexer read them. */
export async function coverTransfers(
  { state, chain, direction }: DirectionOf,
  piece: WrittenPiece,
  now: Date,
): Promise<void> {
  const { firstBlock, endBlock, attempt, checkpoint } = piece
  await state.db.transaction().execute(async (transaction) => {
    await lockChain(transaction, chain)
    const current = await transaction
      .selectFrom('index_checkpoint')
      .select('block')
      .where('chain', '=', chain)
      .where('block', '=', checkpoint.number)
      .where('hash', '=', checkpoint.hash)
      .executeTakeFirst()
    if (!current) throw new RetryableError('the chain was rolled back while transfers were read')
    await TRANSFER_CHUNKS.cover(transaction, { chain, now }, { attempt, transfers: piece.transfers })
    for (let at = 0; at < piece.wallets.length; at += WALLETS_PER_STATEMENT) {
      const wallets = piece.wallets.slice(at, at + WALLETS_PER_STATEMENT)
      await extendSpans(transaction, { chain, direction, firstBlock, endBlock, wallets })
    }
  })
}

type Extension = Piece & { readonly chain: Hex; readonly direction: Direction }

/** Extends the spans that end where the piece begins, and inserts new ones for the other wallets. */
async function extendSpans(
  transaction: Transaction<Tables>,
  { chain, direction, firstBlock, endBlock, wallets }: Extension,
): Promise<void> {
  const overlapping = await transaction
    .selectFrom('transfer_span')
    .select('wallet')
    .where('chain', '=', chain)
    .where('direction', '=', direction)
    .where('wallet', 'in', wallets)
    .where('first_block', '<', endBlock)
    .where('end_block', '>', firstBlock)
    .limit(1)
    .execute()
  if (overlapping.length > 0) throw new RetryableError('another indexer has read these transfers')
  const extended = await transaction
    .updateTable('transfer_span')
    .set({ end_block: endBlock })
    .where('chain', '=', chain)
    .where('direction', '=', direction)
    .where('wallet', 'in', wallets)
    .where('end_block', '=', firstBlock)
    .returning('wallet')
    .execute()
  const known = new Set<string>(extended.map(({ wallet }) => wallet))
  const values = wallets
    .filter((wallet) => !known.has(wallet))
    .map((wallet) => ({ chain, direction, wallet, first_block: firstBlock, end_block: endBlock }))
  if (values.length > 0) await transaction.insertInto('transfer_span').values(values).execute()
}

/** Removes transfers from a block on, in a rollback of the index, which locks the chain's row. */
export async function rollBackTransfers(
  transaction: Transaction<Tables>,
  { chain, now }: Change,
  fromBlock: number,
): Promise<void> {
  const border = toCellStart(fromBlock)
  await TRANSFER_CHUNKS.retire(transaction, { chain, now }, { ends: '>', block: border })
  await transaction
    .deleteFrom('transfer_span')
    .where('chain', '=', chain)
    .where('first_block', '>=', border)
    .execute()
  await transaction
    .updateTable('transfer_span')
    .set({ end_block: border })
    .where('chain', '=', chain)
    .where('end_block', '>', border)
    .execute()
}

/** Removes every transfer before a block; the caller holds the lock on the chain's row. */
export async function dropTransfersBefore(
  transaction: Transaction<Tables>,
  { chain, now }: Change,
  block: number,
): Promise<void> {
  await TRANSFER_CHUNKS.retire(transaction, { chain, now }, { ends: '<=', block })
  await transaction
    .deleteFrom('transfer_span')
    .where('chain', '=', chain)
    .where('end_block', '<=', block)
    .execute()
  await transaction
    .updateTable('transfer_span')
    .set({ first_block: block })
    .where('chain', '=', chain)
    .where('first_block', '<', block)
    .execute()
}
