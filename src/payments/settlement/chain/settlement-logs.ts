import type { Hex } from '../../../chain/hex.ts'
import { BASE } from '../../../money/base.ts'
import type { AtomicUsdc } from '../../../money/usdc.ts'
import type { OfferedPayment } from '../../payment.ts'

/** keccak256 of each event's signature; the test derives them from the signatures. */
export const TOPICS = {
  /** Transfer(address,address,uint256) */
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  /** AuthorizationUsed(address,bytes32) */
  used: '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  /** AuthorizationCanceled(address,bytes32) */
  cancelled: '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81',
  /** Settled() of the proxy */
  settled: '0x97088ec3606cfe8cc112180570d03fcde05f9b8e1bfef8e27784eaf5dd5691b6',
  /** SettledWithPermit() of the proxy */
  settledWithPermit: '0xde5b89d10fc800c459329c382fabfcad0be0ed7e5328e01fae04e507b09ef5d8',
  /** UnorderedNonceInvalidation(address,uint256,uint256) of Permit2 */
  invalidated: '0x3704902f963766a4e561bbaab6e6cdc1b1dd12f6e9e99648da8843b3f46b918d',
} as const

/** A log of a receipt or of eth_getLogs. */
export type ChainLog = {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly logIndex: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
}

/** What the logs of one transaction show about a payment. */
export type LogFinding =
  | { readonly kind: 'paid'; readonly amount: AtomicUsdc }
  /** The authorization's nonce was used, but not for this transfer. */
  | { readonly kind: 'spent-elsewhere' }
  | { readonly kind: 'absent' }

/**
 * Reads the logs of one transaction in pairs: USDC emits AuthorizationUsed and, as the very next log, the
 * Transfer of the same authorization; a payer's other transfers are outside the pair.
 */
export function findExactTransfer(logs: readonly ChainLog[], payment: OfferedPayment): LogFinding {
  const ordered = logs.toSorted((one, other) => Number(one.logIndex) - Number(other.logIndex))
  const at = ordered.findIndex(
    (log) =>
      isFrom(log, payment.terms.asset) &&
      log.topics[0] === TOPICS.used &&
      addressOf(log.topics[1]) === payment.payer &&
      log.topics[2]?.toLowerCase() === payment.nonce,
  )
  if (at < 0) return { kind: 'absent' }
  const used = ordered[at]
  const next = ordered[at + 1]
  const isPair = used && next && Number(next.logIndex) === Number(used.logIndex) + 1
  const amount = isPair ? transferred(next, payment) : null
  return amount === payment.signedAmount ? { kind: 'paid', amount } : { kind: 'spent-elsewhere' }
}

/**
 * Reads the logs of a transaction whose calldata contains this `upto` payment: the transfer to payTo is the
 * log directly before the proxy's own event.
 */
export function findUptoTransfer(logs: readonly ChainLog[], payment: OfferedPayment): LogFinding {
  const ordered = logs.toSorted((one, other) => Number(one.logIndex) - Number(other.logIndex))
  for (const [at, log] of ordered.entries()) {
    const before = ordered[at - 1]
    const isSettled = log.topics[0] === TOPICS.settled || log.topics[0] === TOPICS.settledWithPermit
    if (!isSettled || !isFrom(log, BASE.uptoPermit2Proxy) || !before) continue
    const amount = transferred(before, payment)
    if (amount !== null && amount <= payment.signedAmount) return { kind: 'paid', amount }
  }
  return { kind: 'absent' }
}

/** Micro-USDC that the log moves from the payer to payTo; null if it is another log. */
function transferred(log: ChainLog, payment: OfferedPayment): AtomicUsdc | null {
  const isTransfer =
    isFrom(log, payment.terms.asset) &&
    log.topics[0] === TOPICS.transfer &&
    addressOf(log.topics[1]) === payment.payer &&
    addressOf(log.topics[2]) === payment.payTo
  return isTransfer ? BigInt(log.data) : null
}

function isFrom(log: ChainLog, contract: Hex): boolean {
  return log.address.toLowerCase() === contract.toLowerCase()
}

function addressOf(topic: Hex | undefined): string {
  return `0x${topic?.slice(26).toLowerCase() ?? ''}`
}
