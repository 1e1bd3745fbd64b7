import { readBlocks } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import { NodeBehind } from '@tollbook/chain/rpc/rpc-failure'
import { InvalidAnswer } from '@tollbook/flow/failure'
import { type BlockClock, checkBlockTime } from './block-clock.ts'
import { createChannelHistory } from './channel-history.ts'
import { readEscrowTerms, type TermsSource } from './escrow-terms.ts'
import { fetchReceipts, type ReceiptSource } from './fetch-receipts.ts'
import { type Joined, joinPayments } from './join.ts'
import type { FoundTransaction } from './logs.ts'
import type { Payment } from './payment.ts'
import type { Receipt } from './receipts.ts'

/** Receipts fetched at once, about 10 MB; one part is fetched while the previous one is joined. */
const RECEIPTS_PER_PIECE = 1_000

export type ReadPayments = Joined & {
  /** Transactions with an announcement that has no matching transfer. */
  readonly missedIn: readonly FoundTransaction[]
}

type PaymentSource = ReceiptSource &
  TermsSource & {
    /** Known routers of payments. */
    readonly facilitators: ReadonlySet<Address>
    readonly clock: BlockClock | null
  }

/** Payments of transactions in chain order. @throws RetryableError after a reorganisation; InvalidAnswer. */
export async function readPayments(
  source: PaymentSource,
  found: readonly FoundTransaction[],
  signal: AbortSignal,
): Promise<ReadPayments> {
  const pieces: (readonly FoundTransaction[])[] = []
  for (let at = 0; at < found.length; at += RECEIPTS_PER_PIECE)
    pieces.push(found.slice(at, at + RECEIPTS_PER_PIECE))
  const fetchPiece = (at: number) => {
    const receipts = fetchReceipts(source, pieces[at] ?? [], signal)
    // An early failure is thrown in its turn; until then it must not be an unhandled rejection.
    receipts.catch(() => {})
    return receipts
  }

  const payments: Payment[] = []
  const missedIn: FoundTransaction[] = []
  let misses = 0
  const { channels = createChannelHistory() } = source
  let fetching = fetchPiece(0)
  for (const [at, piece] of pieces.entries()) {
    const receipts = await fetching
    fetching = fetchPiece(at + 1)
    const timeOf = await learnTimes(source, receipts, signal)
    const terms = await readEscrowTerms({ ...source, channels }, receipts, signal)
    const context = { custodians: source.contracts.custodians, routers: source.facilitators, terms, timeOf }
    const joined = joinPayments(receipts, context)
    for (const payment of joined.payments) payments.push(payment)
    if (joined.misses === 0) continue
    misses += joined.misses
    for (const [index, receipt] of receipts.entries()) {
      const transaction = piece[index]
      if (transaction && joinPayments([receipt], context).misses > 0) missedIn.push(transaction)
    }
  }
  return { payments, misses, missedIn }
}

/** From the node or from the block clock, which must agree; otherwise the blocks are requested. */
async function learnTimes(
  { rpc, clock }: PaymentSource,
  receipts: readonly Receipt[],
  signal: AbortSignal,
): Promise<(receipt: Receipt) => number> {
  if (clock) {
    for (const { blockNumber, toldTimestamp } of receipts)
      if (toldTimestamp !== null) checkBlockTime(clock, { number: blockNumber, timestamp: toldTimestamp })
    return ({ blockNumber }) => clock.timeOf(blockNumber)
  }
  const times = new Map<number, number>()
  for (const { blockNumber, toldTimestamp } of receipts)
    if (toldTimestamp !== null) times.set(blockNumber, toldTimestamp)
  const missing = [...new Set(receipts.map(({ blockNumber }) => blockNumber))].filter(
    (one) => !times.has(one),
  )
  for (const block of missing.length > 0 ? await readBlocks(rpc, missing, signal) : []) {
    if (!block) throw new NodeBehind('a block disappeared while it was read')
    times.set(block.number, block.timestamp)
  }
  return ({ blockNumber }) => {
    const timestamp = times.get(blockNumber)
    if (timestamp === undefined) throw new InvalidAnswer(`the time of block ${blockNumber} is unknown`)
    return timestamp
  }
}
