import { type Block, type HeadTag, readBlock, readBlocks } from '@tollbook/chain/blocks'
import type { Address, Hex } from '@tollbook/chain/hex'
import { NodeBehind, RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { InvalidAnswer, RetryableError } from '@tollbook/flow/failure'
import { type BlockClock, checkBlockTime } from '@tollbook/verify/chain/block-clock'
import { announcingEvents, type PaymentContracts } from '@tollbook/verify/chain/contracts'
import type { TermsSource } from '@tollbook/verify/chain/escrow-terms'
import type { ReceiptSource } from '@tollbook/verify/chain/fetch-receipts'
import { type FoundTransaction, findAllTransactions, findTransactions } from '@tollbook/verify/chain/logs'
import type { Payment } from '@tollbook/verify/chain/payment'
import { markFacilitators } from '@tollbook/verify/chain/payment-rule'
import type { RangeSize } from '@tollbook/verify/chain/range-size'
import { type ReadPayments, readPayments } from '@tollbook/verify/chain/read-payments'

/** About 20 MB of payments; also the amount that is read again after a crash in the middle of a step. */
const MAX_TRANSACTIONS_PER_STEP = 20_000
/** The last blocks are read in small steps, so that a reorganisation reverts little more than it must. */
const UNSTEADY_BLOCKS = 128
const BLOCKS_PER_UNSTEADY_STEP = 64
/** A safe block of Base is two minutes old. */
const OLD_HEAD_SECONDS = 300
const MAX_BLOCKS_BEHIND = 30
/** Old checkpoints are compared in batches, newest first. */
const CHECKPOINTS_PER_BATCH = 64

/** A node, its current range size, its ways to read receipts, and what it answered about channels. */
export type ChainNode = Pick<ReceiptSource, 'rpc' | 'ways'> &
  Pick<TermsSource, 'channels'> & { readonly range: RangeSize }

export type Chain = ChainNode &
  Pick<ReceiptSource, 'portals'> & {
    readonly contracts: PaymentContracts
    readonly facilitators: ReadonlySet<Address>
    /** Upper limit of reading: `safe` on Base, two minutes behind; `latest` on a chain with one node. */
    readonly head: HeadTag
    readonly now: () => Date
    /** Null on a chain whose block times must be requested. */
    readonly clock: BlockClock | null
    /** A second node of the same chain, queried when a result looks incomplete; null if there is none. */
    readonly findWitness: () => Promise<ChainNode | null>
    /** Whether the second node must be queried for every range. */
    readonly isCrossChecked: boolean
  }

export type Checkpoint = { readonly number: number; readonly hash: Hex }

export type Position = {
  readonly firstBlock: number
  /** The first unread block. */
  readonly nextBlock: number
  /** Last blocks of earlier steps, newest first. */
  readonly checkpoints: readonly Checkpoint[]
}

/** Payments of a range of blocks. */
export type BlocksStep = {
  readonly kind: 'blocks'
  readonly firstBlock: number
  /** The first block after the range. */
  readonly endBlock: number
  readonly checkpoint: Checkpoint
  readonly payments: readonly Payment[]
  readonly misses: number
  readonly head: number
}

export type Step =
  /** Everything up to the head has been read. */
  | { readonly kind: 'at-head'; readonly head: number }
  /** The chain was reorganised: everything from this block on must be discarded. */
  | { readonly kind: 'reorganised'; readonly nextBlock: number }
  | BlocksStep

/**
 * Reads the next blocks after a position, or detects that it is no longer on the chain, all from one node.
 * Idempotent. @throws RetryableError if the chain changed, or the node lags or is unreachable;
 * InvalidAnswer.
 */
export async function readStep(chain: Chain, position: Position, signal: AbortSignal): Promise<Step> {
  const { rpc, clock } = chain
  const { nextBlock: firstBlock, checkpoints } = position
  const parent = checkpoints[0]
  const [head, parentBlock] = await readBlocks(rpc, [chain.head, ...(parent ? [parent.number] : [])], signal)
  if (parent && parentBlock?.hash !== parent.hash)
    return leaveFork(chain, { position, head: head ?? null, parentBlock: parentBlock ?? null }, signal)
  // A node without a safe block yet has nothing to read.
  if (!head || head.number < firstBlock) {
    await checkHead(chain, head ?? null, signal)
    return { kind: 'at-head', head: firstBlock - 1 }
  }
  checkBlockTime(clock, head)

  const range = {
    firstBlock,
    endBlock: toEndBlock(chain, firstBlock, head),
    announcing: announcingEvents(chain.contracts),
  }
  const found = await findTransactions(chain, range, signal)
  const endFound = found.last.number + 1
  const transactions = chain.isCrossChecked
    ? await addWitnessed(chain, { ...found, range: { ...range, endBlock: endFound } }, signal)
    : found.transactions
  const endBlock = toEndOfStep(transactions, endFound)
  const within =
    endBlock === endFound ? transactions : transactions.filter((one) => one.blockNumber < endBlock)
  const [before = null] = endBlock === endFound ? [found.last] : await readBlocks(rpc, [endBlock - 1], signal)
  const read = await readPayments(chain, within, signal)
  await askAgain(chain, read, signal)

  const numbers = [endBlock - 1, ...(parent ? [parent.number] : [])]
  const [after, parentAfter] = await readBlocks(rpc, numbers, signal)
  if (!after || after.hash !== before?.hash || parentAfter?.hash !== parent?.hash)
    throw new RetryableError('the chain was reorganised while it was read')
  checkBlockTime(clock, after)
  return {
    kind: 'blocks',
    firstBlock,
    endBlock,
    checkpoint: { number: after.number, hash: after.hash },
    payments: markFacilitators(read.payments, chain.facilitators),
    misses: read.misses,
    head: head.number,
  }
}

/** @throws NodeBehind if the head is old and another node is ahead. */
async function checkHead(
  { now, head: tag, findWitness }: Chain,
  head: Block | null,
  signal: AbortSignal,
): Promise<void> {
  if (head && now().getTime() / 1000 - head.timestamp < OLD_HEAD_SECONDS) return
  const witness = await findWitness()
  const further = witness && (await unlessInTrouble(readBlock(witness.rpc, tag, signal), signal))
  if (further && further.number > (head?.number ?? 0) + MAX_BLOCKS_BEHIND)
    throw new NodeBehind(
      `the head of the chain RPC is block ${head?.number}, another node's is ${further.number}`,
    )
}

function toEndBlock({ range }: Chain, firstBlock: number, head: Block): number {
  const reach = head.number + 1
  const steadyEnd = reach - UNSTEADY_BLOCKS
  const endBlock = Math.min(reach, firstBlock + range.blocks)
  if (endBlock <= steadyEnd) return endBlock
  return firstBlock < steadyEnd ? steadyEnd : Math.min(endBlock, firstBlock + BLOCKS_PER_UNSTEADY_STEP)
}

/** A step ends early if it would contain too many payments. */
function toEndOfStep(transactions: readonly FoundTransaction[], endBlock: number): number {
  const over = transactions[MAX_TRANSACTIONS_PER_STEP]
  if (!over) return endBlock
  // The block that exceeds the limit belongs to the next step, unless it is the only one.
  const [first] = transactions
  return first && over.blockNumber > first.blockNumber ? over.blockNumber : over.blockNumber + 1
}

/** Either the newest block that was read was reverted, or the node lags. @throws NodeBehind */
async function leaveFork(
  chain: Chain,
  at: { readonly position: Position; readonly head: Block | null; readonly parentBlock: Block | null },
  signal: AbortSignal,
): Promise<Step> {
  const { position, head, parentBlock } = at
  const [parent] = position.checkpoints
  // On a chain with a single node, it cannot lag. Elsewhere only blocks that the node itself considers safe
  // count as a contradiction; if its head is lower, its older blocks decide, if any checkpoint remains.
  const isBelow = !head || (parent !== undefined && head.number < parent.number)
  if (chain.head !== 'latest' && (isBelow || !parentBlock)) {
    const below = position.checkpoints.find(({ number }) => head !== null && number <= head.number)
    const same = below ? await readBlock(chain.rpc, below.number, signal) : null
    if (!below || !same || same.hash === below.hash)
      throw new NodeBehind(
        `the head of the chain RPC is below block ${parent?.number}, which has already been read`,
      )
  }
  if (parent) await askWitnessOfFork(chain, parent, signal)
  return { kind: 'reorganised', nextBlock: await findKept(chain, position, signal) }
}

/** @throws InvalidAnswer if the second node still has the block that the first one lost. */
async function askWitnessOfFork(
  { findWitness }: Chain,
  parent: Checkpoint,
  signal: AbortSignal,
): Promise<void> {
  const witness = await findWitness()
  if (!witness) return
  const same = await unlessInTrouble(readBlock(witness.rpc, parent.number, signal), signal)
  if (same?.hash === parent.hash)
    throw new InvalidAnswer(`the chain RPC and a second one disagree about block ${parent.number}`)
}

/** The first block to read again: after the newest checkpoint that is still on the chain. */
async function findKept(
  { rpc, head }: Chain,
  { checkpoints, firstBlock }: Position,
  signal: AbortSignal,
): Promise<number> {
  for (let at = 0; at < checkpoints.length; at += CHECKPOINTS_PER_BATCH) {
    const some = checkpoints.slice(at, at + CHECKPOINTS_PER_BATCH)
    const numbers = some.map(({ number }) => number)
    const blocks = await readBlocks(rpc, numbers, signal)
    if (head !== 'latest' && blocks.includes(null))
      throw new NodeBehind('the chain RPC is missing blocks below its head')
    const match = some.find(({ hash }, index) => blocks[index]?.hash === hash)
    if (match) return match.number + 1
  }
  return firstBlock
}

/** Adds transactions that only the second node found. @throws RetryableError if there is none, or a fork. */
async function addWitnessed(
  { findWitness }: Chain,
  found: Awaited<ReturnType<typeof findTransactions>> & {
    readonly range: Parameters<typeof findTransactions>[1]
  },
  signal: AbortSignal,
): Promise<readonly FoundTransaction[]> {
  const witness = await findWitness()
  if (!witness) throw new RetryableError('the cross-check needs a second chain RPC, and no other is healthy')
  const { transactions, last } = await findAllTransactions(witness, found.range, signal)
  if (last.hash !== found.last.hash) throw new RetryableError('two chain RPCs are on different forks')
  const known = new Set(found.transactions.map(({ transaction }) => transaction))
  const more = transactions.filter(({ transaction }) => !known.has(transaction))
  if (more.length === 0) return found.transactions
  return [...found.transactions, ...more].sort(
    (a, b) => a.blockNumber - b.blockNumber || (a.logIndexes[0] ?? 0) - (b.logIndexes[0] ?? 0),
  )
}

/** An authorization without its transfer may be a receipt that lacks logs. @throws InvalidAnswer if so. */
async function askAgain(
  chain: Chain,
  { missedIn, misses }: ReadPayments,
  signal: AbortSignal,
): Promise<void> {
  const witness = misses === 0 ? null : await chain.findWitness()
  if (!witness) return
  const { contracts, facilitators, clock } = chain
  const { rpc, channels } = witness
  const source = { rpc, channels, contracts, facilitators, clock }
  const reading = readPayments(source, missedIn, signal)
  const second = await unlessInTrouble(reading, signal)
  if (second && second.misses < misses)
    throw new InvalidAnswer('the chain RPC omitted transfers that another one returned')
}

/** The second node's result; null if it fails, which proves nothing about the first node. */
async function unlessInTrouble<T>(asking: Promise<T>, signal: AbortSignal): Promise<T | null> {
  try {
    return await asking
  } catch (error) {
    signal.throwIfAborted()
    const isTrouble =
      error instanceof RetryableError || error instanceof RpcRefusal || error instanceof InvalidAnswer
    if (isTrouble) return null
    throw error
  }
}
