import { InvalidAnswer, RetryableError } from '../../fetching/failure.ts'
import { TOPIC } from './contracts.ts'
import { toAddress, toBytes, toHash, toQuantity } from './hex.ts'
import type { FoundTransaction } from './logs.ts'
import type { Address, Hex } from './payment.ts'
import { NodeBehind } from './rpc-failure.ts'

/** One log of a receipt. */
export type Log = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** Index in its block. */
  readonly logIndex: number
}

/** A transaction that succeeded, with its sender and every log. */
export type Receipt = {
  readonly transaction: Hex
  readonly blockNumber: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly sender: Address
  readonly logs: readonly Log[]
}

/** As the node gives it: newer nodes tell the time in each log, others must be asked for the block. */
export type UntimedReceipt = Omit<Receipt, 'timestamp'> & {
  readonly blockHash: Hex
  readonly toldTimestamp: number | null
}

/**
 * Reads a receipt as `eth_getTransactionReceipt` gives it.
 * @param found what the logs said of the transaction; the receipt must agree.
 * @throws NodeBehind when there is none, RetryableError when the transaction moved; InvalidAnswer when the receipt is malformed, lacks
 *   logs, or is of another transaction.
 */
export function decodeReceipt(answer: unknown, found?: FoundTransaction): UntimedReceipt {
  // A transaction that had a log a moment ago and has no receipt was undone, or the node lost it.
  if (answer === null) throw new NodeBehind('a transaction vanished while its block was read')
  const raw = Object(answer) as Readonly<Record<string, unknown>>
  if (!Array.isArray(raw.logs)) throw new InvalidAnswer('the chain RPC gave a malformed receipt')
  const logs = raw.logs.map(toLog)
  const [first] = raw.logs as readonly Readonly<Record<string, unknown>>[]
  const receipt = {
    transaction: toHash(raw.transactionHash, 'receipt'),
    blockHash: toHash(raw.blockHash, 'receipt'),
    blockNumber: toQuantity(raw.blockNumber, 'receipt'),
    sender: toAddress(raw.from, 'receipt'),
    toldTimestamp: first?.blockTimestamp == null ? null : toQuantity(first.blockTimestamp, 'receipt'),
    logs,
  }
  checkWhole(logs)
  if (found) checkAgreement(receipt, found)
  return receipt
}

/** A receipt as the node gives it, for who has one at hand. @throws InvalidAnswer when malformed. */
export function parseReceipt(answer: unknown): Receipt {
  const { blockHash: _hash, toldTimestamp, ...receipt } = decodeReceipt(answer)
  return { ...receipt, timestamp: toldTimestamp ?? 0 }
}

/** Whether a log is a transfer of an ERC-20 token; ERC-721 has the same first topic and one topic more. */
export function isTokenTransfer(log: Log): boolean {
  return log.topics[0] === TOPIC.transfer && log.topics.length === 3
}

function toLog(value: unknown): Log {
  const raw = Object(value) as Readonly<Record<string, unknown>>
  if (!Array.isArray(raw.topics)) throw new InvalidAnswer('the chain RPC gave a malformed log')
  return {
    address: toAddress(raw.address, 'log'),
    topics: raw.topics.map((topic) => toHash(topic, 'log')),
    data: toBytes(raw.data, 'log'),
    logIndex: toQuantity(raw.logIndex, 'log'),
  }
}

/** Logs of one transaction stand next to each other in its block, so a gap is a log that was left out. */
function checkWhole(logs: Log[]): void {
  for (let at = 1; at < logs.length; at++) {
    if (logs[at]?.logIndex === (logs[at - 1]?.logIndex ?? 0) + 1) continue
    logs.sort((a, b) => a.logIndex - b.logIndex)
    const first = logs[0]?.logIndex ?? 0
    if (logs.some(({ logIndex }, index) => logIndex !== first + index))
      throw new InvalidAnswer('the chain RPC gave a receipt with logs missing')
    return
  }
}

function checkAgreement(receipt: UntimedReceipt, found: FoundTransaction): void {
  if (receipt.transaction !== found.transaction)
    throw new InvalidAnswer('the chain RPC gave the receipt of another transaction')
  if (receipt.blockHash !== found.blockHash || receipt.blockNumber !== found.blockNumber)
    throw new RetryableError('a transaction moved to another block while it was read')
  const first = receipt.logs[0]?.logIndex ?? 0
  for (const logIndex of found.logIndexes)
    if (!receipt.logs[logIndex - first])
      throw new InvalidAnswer('the chain RPC gave a receipt without a log that it has shown before')
}
