import { RetryableError } from '../../fetching/failure.ts'
import { type HeadTag, readBlock, readBlocks } from './blocks.ts'
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
  const { nextBlock: firstBlock, checkpoints } = position
  const parent = checkpoints[0]
  const [head, parentBlock] = await readBlocks(rpc, [chain.head, ...(parent ? [parent.number] : [])], signal)
  if (parent && parentBlock?.hash !== parent.hash)
    return { kind: 'reorganised', nextBlock: await findKept(rpc, position, signal) }
  // A node without a safe block yet has nothing that may be read.
  if (!head || head.number < firstBlock) return { kind: 'at-head', head: firstBlock - 1 }

  const endBlock = Math.min(head.number + 1, firstBlock + MOST_BLOCKS_PER_STEP)
  const before = endBlock === head.number + 1 ? head : await readBlock(rpc, endBlock - 1, signal)
  const receipts = await readReceipts(rpc, { firstBlock, endBlock, contracts: chain.contracts }, signal)
  const numbers = [endBlock - 1, ...(parent ? [parent.number] : [])]
  const [after, parentAfter] = await readBlocks(rpc, numbers, signal)
  if (!after || after.hash !== before?.hash || parentAfter?.hash !== parent?.hash)
    throw new RetryableError('the chain was reorganised while it was read')
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

/** The first block after the newest checkpoint that is still on the chain; the newest of all is known not to be. */
async function findKept(rpc: Rpc, { firstBlock, checkpoints }: Position, signal: AbortSignal) {
  for (let at = 1; at < checkpoints.length; at += CHECKPOINTS_PER_BATCH) {
    const some = checkpoints.slice(at, at + CHECKPOINTS_PER_BATCH)
    const numbers = some.map(({ number }) => number)
    const blocks = await readBlocks(rpc, numbers, signal)
    const match = some.find(({ hash }, index) => blocks[index]?.hash === hash)
    if (match) return match.number + 1
  }
  return firstBlock
}
