import type { Address, Hex } from '@tollbook/chain/hex'
import { TOPIC } from '@tollbook/chain/topics'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { toWord } from '@tollbook/chain/words'
import { isByPermit2, type OfferedPayment } from '../payment.ts'
import { proxyOf } from './calldata.ts'

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

/** Reads the logs, in order, of a transaction that used the payment's nonce. */
export function findTransfer(logs: readonly ChainLog[], payment: OfferedPayment): LogFinding {
  return isByPermit2(payment) ? findPermit2Transfer(logs, payment) : findAuthorizedTransfer(logs, payment)
}

/**
 * Reads the logs of one transaction, in order, in pairs: USDC emits AuthorizationUsed and, as the very next log, the
 * Transfer of the same authorization; a payer's other transfers are outside the pair.
 */
function findAuthorizedTransfer(logs: readonly ChainLog[], payment: OfferedPayment): LogFinding {
  const at = logs.findIndex(
    (log) =>
      log.topics[0] === TOPIC.authorizationUsed &&
      log.topics[2]?.toLowerCase() === payment.nonce &&
      isWordOf(log.topics[1], payment.payer) &&
      isFrom(log, payment.terms.asset),
  )
  if (at < 0) return { kind: 'absent' }
  const used = logs[at]
  const next = logs[at + 1]
  const isPair = used && next && Number(next.logIndex) === Number(used.logIndex) + 1
  const amount = isPair ? transferred(next, payment) : null
  return amount === payment.signedAmount ? { kind: 'paid', amount } : { kind: 'spent-elsewhere' }
}

/**
 * Reads the logs, in order, of a transaction whose calldata contains this payment: the transfer to payTo is the log
 * directly before the proxy's own event.
 */
function findPermit2Transfer(logs: readonly ChainLog[], payment: OfferedPayment): LogFinding {
  const { address } = proxyOf(payment)
  const isAmount = (amount: AtomicUsdc) =>
    payment.scheme === 'exact' ? amount === payment.signedAmount : amount <= payment.signedAmount
  for (const [at, log] of logs.entries()) {
    const before = logs[at - 1]
    const isSettled = log.topics[0] === TOPIC.settled || log.topics[0] === TOPIC.settledWithPermit
    if (!isSettled || !isFrom(log, address) || !before) continue
    const amount = transferred(before, payment)
    if (amount !== null && isAmount(amount)) return { kind: 'paid', amount }
  }
  return { kind: 'absent' }
}

/** Micro-USDC that the log moves from the payer to payTo; null if it is another log. */
function transferred(log: ChainLog, payment: OfferedPayment): AtomicUsdc | null {
  const isTransfer =
    isFrom(log, payment.terms.asset) &&
    log.topics[0] === TOPIC.transfer &&
    isWordOf(log.topics[1], payment.payer) &&
    isWordOf(log.topics[2], payment.payTo)
  return isTransfer ? BigInt(log.data) : null
}

function isFrom(log: ChainLog, contract: Hex): boolean {
  return log.address.toLowerCase() === contract.toLowerCase()
}

function isWordOf(topic: Hex | undefined, address: Address): boolean {
  return topic?.toLowerCase() === toWord(address)
}
