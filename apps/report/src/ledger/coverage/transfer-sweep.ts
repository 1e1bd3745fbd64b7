import { readBlock } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { NodeBehind } from '@tollbook/chain/rpc/rpc-failure'
import { RetryableError } from '@tollbook/flow/failure'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { RangeSize } from '@tollbook/verify/chain/range-size'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { type Direction, readTransfers } from '@tollbook/verify/chain/transfers'
import type { Checkpoint } from '../../chain/follow.ts'
import type { Nodes } from '../../chain/nodes.ts'
import { type ChainOf, TRANSFER_CHUNKS } from '../chunk-journal.ts'
import type { Ledger } from '../ledger.ts'
import { readPosition } from './coverage.ts'
import { coverTransfers, readSpans } from './transfer-coverage.ts'
import { type Piece, planPiece } from './transfer-plan.ts'

/** About 25 MB of transfers are buffered before they are written. */
const TRANSFERS_PER_INSERT = 50_000

export type Sweep = ChainOf & {
  readonly ledger: Ledger
  readonly nodes: Pick<Nodes, 'use'>
  /** Adaptive number of blocks per request; retained across sweeps. */
  readonly range: RangeSize
  readonly usdc: Address
  readonly direction: Direction
  readonly now: () => Date
}

export type SweepGoal = BlockRange & {
  readonly wallets: readonly Address[]
  /** No new piece is started after this many ms; the next sweep continues where this one ended. */
  readonly budgetMs: number
  /** Receives how many blocks of the range are complete for every wallet. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Reads USDC transfers out of wallets, or into them, until an indexed block range is complete for all of
 * them or the time budget ends; what was read is not read again.
 * @throws RetryableError when the chain moved meanwhile, or the node could not be reached.
 */
export async function sweepTransfers(sweep: Sweep, goal: SweepGoal, signal: AbortSignal): Promise<void> {
  const { wallets, budgetMs, onProgress } = goal
  const endMs = performance.now() + budgetMs
  for (;;) {
    const { nextBlock, checkpoints } = await readPosition(sweep)
    const range = { firstBlock: goal.firstBlock, endBlock: Math.min(goal.endBlock, nextBlock) }
    const piece = planPiece(wallets, await readSpans(sweep), range)
    const [checkpoint] = checkpoints
    if (!piece || !checkpoint) return
    onProgress?.(piece.firstBlock - range.firstBlock, range.endBlock - range.firstBlock)
    if (performance.now() >= endMs) return
    // One node reads the whole piece, so that the checkpoint of one node is never combined with the logs of another.
    const work = ({ rpc }: { readonly rpc: Rpc }) =>
      readPiece({ ...sweep, rpc }, { ...piece, checkpoint }, signal)
    await sweep.nodes.use(work, signal)
  }
}

/** Rows are on disk before coverage refers to them, so that a crash loses and duplicates nothing. */
async function readPiece(
  sweep: Sweep & { readonly rpc: Rpc },
  piece: Piece & { readonly checkpoint: Checkpoint },
  signal: AbortSignal,
): Promise<void> {
  const { ledger, rpc, now } = sweep
  const { firstBlock, endBlock, wallets, checkpoint } = piece
  await requireBlock(rpc, checkpoint, signal)
  let attempt: number | undefined
  let waiting: Transfer[] = []
  let transfers = 0
  const write = async () => {
    attempt ??= await TRANSFER_CHUNKS.begin(sweep, piece, { direction: sweep.direction }, now())
    await ledger.transfers.insert(attempt, waiting, signal)
    transfers += waiting.length
    waiting = []
    return attempt
  }
  for await (const some of readTransfers({ ...sweep, firstBlock, endBlock, wallets }, signal)) {
    for (const transfer of some) waiting.push(transfer)
    if (waiting.length >= TRANSFERS_PER_INSERT) await write()
  }
  const written = await write()
  await requireBlock(rpc, checkpoint, signal)
  await coverTransfers(sweep, { ...piece, attempt: written, transfers }, now())
}

/** If the chain moved, its logs do not belong to the chain that was indexed. */
async function requireBlock(rpc: Rpc, { number, hash }: Checkpoint, signal: AbortSignal): Promise<void> {
  const block = await readBlock(rpc, number, signal)
  if (!block)
    throw new NodeBehind(`the head of the chain RPC is below block ${number}, which has already been read`)
  if (block.hash !== hash) throw new RetryableError('the chain was reorganised while transfers were read')
}
