import type { Address, Hex } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { RetryableError } from '@tollbook/flow/failure'
import { escrowEvents, type PaymentContracts } from '../chain/contracts.ts'
import { NO_TERMS } from '../chain/escrow-terms.ts'
import { joinPayments } from '../chain/join.ts'
import { findAllTransactions } from '../chain/logs.ts'
import { ESCROW_EVIDENCE, type Payment } from '../chain/payment.ts'
import { markFacilitators } from '../chain/payment-rule.ts'
import { createRangeSize, type RangeSize } from '../chain/range-size.ts'
import { readPayments } from '../chain/read-payments.ts'
import { decodeReceipt } from '../chain/receipts.ts'
import type { Transfer } from '../chain/transfer.ts'
import { type Direction, readTransfers } from '../chain/transfers.ts'
import type { MerchantTransfers } from './recompute.ts'

/** Receipts held in memory at once: about 4 MB. */
const RECEIPTS_A_TURN = 1_000
/** A week of Base in 32 parts, for progress reports. */
const BLOCKS_A_TURN = 10_000

/** Receives the progress; first in blocks, then in transactions, then in blocks again. */
export type ReadProgress = (done: number, total: number, unit: 'blocks' | 'transactions') => void

export type MerchantQuery = {
  readonly rpc: Rpc
  readonly contracts: PaymentContracts
  readonly facilitators: ReadonlySet<Address>
  /** One, or all of a merchant group. */
  readonly wallets: readonly Address[]
  readonly firstBlock: number
  /** The first block after the range. */
  readonly endBlock: number
  /** Wallets whose payments out of escrows, as payer or payee, are read as well. Absent: none. */
  readonly followed?: ReadonlySet<Address> | undefined
  readonly onProgress?: ReadProgress | undefined
}

export type ReadTransfers = MerchantTransfers & {
  /** Payments out of escrows to others, in which the merchant or a followed wallet is payer or payee. */
  readonly escrowed: readonly Payment[]
}

/**
 * Reads the x402 payments to a merchant in a block range, and its outgoing transfers, in chain order, as the
 * indexer does but found by the wallet alone; the payment rule decides about those that no facilitator sent.
 */
export async function readMerchant(query: MerchantQuery, signal: AbortSignal): Promise<ReadTransfers> {
  const { onProgress } = query
  const own = new Set(query.wallets)
  const range = createRangeSize()
  const incoming = await readAll({ ...query, range, direction: 'in' }, signal)
  const times = new Map(incoming.map(({ blockNumber, timestamp }) => [blockNumber, timestamp]))
  const transactions = [...new Set(incoming.map(({ transaction }) => transaction))]
  const fromEscrow = await readFromEscrow({ ...query, range }, signal)
  const joined = fromEscrow.filter(({ merchant }) => own.has(merchant))
  for (let at = 0; at < transactions.length; at += RECEIPTS_A_TURN) {
    const some = transactions.slice(at, at + RECEIPTS_A_TURN)
    for (const payment of await joinTransactions(query, { transactions: some, times }, signal))
      if (own.has(payment.merchant)) joined.push(payment)
    onProgress?.(at + some.length, transactions.length, 'transactions')
  }
  joined.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  const received = markFacilitators(joined, query.facilitators)
  // Without buyers, nothing can have been sent back to them.
  const outflows = received.length === 0 ? [] : await readAll({ ...query, range, direction: 'out' }, signal)
  const others = fromEscrow.filter(({ merchant }) => !own.has(merchant))
  const escrowed = markFacilitators(others, query.facilitators)
  return { received, escrowed, outflows }
}

async function readAll(
  query: MerchantQuery & { readonly range: RangeSize; readonly direction: Direction },
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const { rpc, contracts, wallets, range, direction, onProgress } = query
  const found: Transfer[] = []
  for (let from = query.firstBlock; from < query.endBlock; from += BLOCKS_A_TURN) {
    const until = Math.min(query.endBlock, from + BLOCKS_A_TURN)
    const part = { firstBlock: from, endBlock: until, usdc: contracts.usdc, wallets }
    for await (const some of readTransfers({ ...part, rpc, range, direction }, signal))
      for (const transfer of some) found.push(transfer)
    onProgress?.(until - query.firstBlock, query.endBlock - query.firstBlock, 'blocks')
  }
  return found.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

/** Claims and captures: no transfer names the buyer, so every one of the range is read. */
async function readFromEscrow(
  query: MerchantQuery & { readonly range: RangeSize },
  signal: AbortSignal,
): Promise<Payment[]> {
  const { wallets, followed, contracts, firstBlock, endBlock } = query
  const announcing = escrowEvents(contracts)
  const { transactions } = await findAllTransactions(query, { firstBlock, endBlock, announcing }, signal)
  const { payments } = await readPayments({ ...query, clock: null }, transactions, signal)
  const own = new Set(wallets)
  const isWanted = ({ buyer, merchant }: Payment) =>
    own.has(merchant) || followed?.has(merchant) || own.has(buyer) || followed?.has(buyer)
  return payments.filter((one) => (one.evidence & ESCROW_EVIDENCE) !== 0 && isWanted(one))
}

/** @param times of the blocks of the transactions, which receipts of older nodes lack. */
async function joinTransactions(
  { rpc, contracts, facilitators }: MerchantQuery,
  of: { readonly transactions: readonly Hex[]; readonly times: ReadonlyMap<number, number> },
  signal: AbortSignal,
): Promise<readonly Payment[]> {
  const requests = of.transactions.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
  const answers = await rpc.batch(requests, signal)
  if (answers.includes(null))
    throw new RetryableError('the chain RPC returned the logs of a transaction but no receipt')
  const receipts = answers.map((answer) => decodeReceipt(answer, contracts))
  const timeOf = ({ blockNumber }: { readonly blockNumber: number }) => {
    const timestamp = of.times.get(blockNumber)
    if (timestamp === undefined)
      throw new RetryableError('a transaction moved to another block while it was read')
    return timestamp
  }
  const { custodians } = contracts
  return joinPayments(receipts, { timeOf, custodians, routers: facilitators, terms: NO_TERMS }).payments
}
