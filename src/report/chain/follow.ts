import { RetryableError } from '../../fetching/failure.ts'
import { type Block, type HeadTag, readBlock, readBlocks } from './blocks.ts'
import type { PaymentContracts } from './contracts.ts'
import { joinPayments } from './join.ts'
import type { Address, Hex, Payment } from './payment.ts'
import { markFacilitators } from './payment-rule.ts'
import { readReceipts } from './receipts.ts'
import type { Rpc } from './rpc.ts'

/** Public RPCs of Base take ranges of at most 10,000 blocks. */
const MOST_BLOCKS_PER_STEP = 9_000
/** Old checkpoints are compared in batches, newest first. */
const CHECKPOINTS_PER_BATCH = 64

export type Chain = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  readonly facilitators: ReadonlySet<Address>
  /** Up to where blocks are read: `safe` on Base, about two minutes behind; `latest` on a chain of one node. */
  readonly head: HeadTag
}

export type Checkpoint = { readonly number: number; readonly hash: Hex }

/** What was read so far. */
export type Position = {
  readonly firstBlock: number
  /** The first block that was not read. */
  readonly nextBlock: number
  /** Last blocks of what was read, newest first. */
  readonly checkpoints: readonly Checkpoint[]
}

export type Step =
  /** Everything up to the head was read. */
  | { readonly kind: 'at-head'; readonly head: number }
  /** The chain was reorganised: nothing from this block on may be kept. */
  | { readonly kind: 'reorganised'; readonly nextBlock: number }
  | {
      readonly kind: 'blocks'
      readonly firstBlock: number
      /** The first block after those read. */
      readonly endBlock: number
      readonly checkpoint: Checkpoint
      readonly payments: readonly Payment[]
      readonly misses: number
      readonly head: number
    }

/**
 * Reads the next blocks after a position, or finds out that the position is no longer on the chain.
 * It changes nothing: the same position gives the same step again.
 * @throws RetryableError when the chain moved while it was read, or the node could not be reached.
 */
export async function readStep(chain: Chain, position: Position, signal: AbortSignal): Promise<Step> {
  const { rpc } = chain
  const kept = await findKept(rpc, position, signal)
  if (kept < position.nextBlock) return { kind: 'reorganised', nextBlock: kept }

  const head = await readBlock(rpc, chain.head, signal)
  // A node without a safe block yet has nothing that may be read.
  if (!head || head.number < position.nextBlock) return { kind: 'at-head', head: position.nextBlock - 1 }
  const firstBlock = position.nextBlock
  const endBlock = Math.min(head.number + 1, firstBlock + MOST_BLOCKS_PER_STEP)
  const before = await readLast(rpc, endBlock, signal)
  const receipts = await readReceipts(rpc, { firstBlock, endBlock, contracts: chain.contracts }, signal)
  const after = await readLast(rpc, endBlock, signal)
  const [parent] = position.checkpoints
  const isSteady = before.hash === after.hash && (!parent || (await isOnChain(rpc, parent, signal)))
  if (!isSteady) throw new RetryableError('the chain was reorganised while it was read')
  const { payments, misses } = joinPayments(receipts, chain.contracts)
  return {
    kind: 'blocks',
    firstBlock,
    endBlock,
    checkpoint: { number: after.number, hash: after.hash },
    payments: markFacilitators(payments, chain.facilitators),
    misses,
    head: head.number,
  }
}

/** The first block after the newest checkpoint that is still on the chain. */
async function findKept(rpc: Rpc, position: Position, signal: AbortSignal): Promise<number> {
  const { checkpoints } = position
  const [newest] = checkpoints
  if (!newest || (await isOnChain(rpc, newest, signal))) return position.nextBlock
  for (let at = 1; at < checkpoints.length; at += CHECKPOINTS_PER_BATCH) {
    const some = checkpoints.slice(at, at + CHECKPOINTS_PER_BATCH)
    const blocks = await readBlocks(
      rpc,
      some.map(({ number }) => number),
      signal,
    )
    const match = some.find(({ hash }, index) => blocks[index]?.hash === hash)
    if (match) return match.number + 1
  }
  return position.firstBlock
}

async function isOnChain(rpc: Rpc, checkpoint: Checkpoint, signal: AbortSignal): Promise<boolean> {
  return (await readBlock(rpc, checkpoint.number, signal))?.hash === checkpoint.hash
}

async function readLast(rpc: Rpc, endBlock: number, signal: AbortSignal): Promise<Block> {
  const last = await readBlock(rpc, endBlock - 1, signal)
  if (!last) throw new RetryableError('the head moved back while it was read')
  return last
}
