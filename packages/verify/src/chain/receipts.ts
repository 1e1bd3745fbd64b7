import { type Address, type Hex, parseAddress, parseQuantity, parseWord } from '@tollbook/chain/hex'
import { NodeBehind } from '@tollbook/chain/rpc/rpc-failure'
import { InvalidAnswer, RetryableError } from '@tollbook/flow/failure'
import type { PaymentContracts } from './contracts.ts'
import { isSame } from './is-same.ts'
import { decodeLog, type Log } from './log.ts'
import type { FoundTransaction } from './logs.ts'

/** A successful transaction, with its sender and all logs, in chain order. */
export type Receipt = {
  readonly transaction: Hex
  readonly blockHash: Hex
  readonly blockNumber: number
  readonly sender: Address
  readonly logs: readonly Log[]
  /** Block time in epoch seconds, which newer nodes include in each log; null if it must be requested. */
  readonly toldTimestamp: number | null
}

/**
 * Decodes a receipt, which must agree with what the logs said. @throws NodeBehind if there is none,
 * RetryableError if the transaction moved to another block, InvalidAnswer if it is malformed or lacks logs.
 */
export function decodeReceipt(
  answer: unknown,
  contracts: PaymentContracts,
  found?: FoundTransaction,
): Receipt {
  // A transaction that just had a log but has no receipt was reverted, or the node lost it.
  if (answer === null) throw new NodeBehind('a transaction disappeared while its block was read')
  const raw = Object(answer) as Readonly<Record<string, unknown>>
  if (!Array.isArray(raw.logs)) throw new InvalidAnswer('the chain RPC returned a malformed receipt')
  const logs = raw.logs.map((log) => decodeLog(log, contracts))
  const [first] = raw.logs as readonly Readonly<Record<string, unknown>>[]
  const receipt = {
    transaction: toExpected(raw.transactionHash, found?.transaction),
    blockHash: toExpected(raw.blockHash, found?.blockHash),
    blockNumber: parseQuantity(raw.blockNumber, 'receipt'),
    sender: parseAddress(raw.from, 'receipt'),
    toldTimestamp: first?.blockTimestamp == null ? null : parseQuantity(first.blockTimestamp, 'receipt'),
    logs,
  }
  checkWhole(logs)
  if (found) checkAgreement(receipt, found)
  return receipt
}

/** Builds a receipt from some logs; those between count as other contracts'. @throws as `decodeReceipt`. */
export function buildReceipt(parts: Receipt, found: FoundTransaction): Receipt {
  const sorted = parts.logs.toSorted((a, b) => a.logIndex - b.logIndex)
  const logs: Log[] = []
  for (const log of sorted) {
    const first = sorted[0]?.logIndex ?? 0
    while (first + logs.length < log.logIndex) logs.push({ logIndex: first + logs.length, kind: 'other' })
    logs.push(log)
  }
  const receipt = { ...parts, logs }
  checkAgreement(receipt, found)
  return receipt
}

/** Whether payments follow alike from two versions of a receipt, of which one may lack logs of other contracts. */
export function isSameReceipt(one: Receipt, other: Receipt): boolean {
  const essence = ({ transaction, blockHash, sender, logs }: Receipt) => [
    transaction,
    blockHash,
    sender,
    logs.filter(({ kind }) => kind !== 'other' && (kind !== 'transfer of another token' || isSettled(logs))),
  ]
  // Only the payment of a settlement depends on transfers of other tokens.
  const isSettled = (logs: readonly Log[]) => logs.some(({ kind }) => kind === 'settlement')
  return isSame(essence(one), essence(other))
}

/** Logs that match expectations have been decoded before. */
function toExpected(value: unknown, expected: Hex | undefined): Hex {
  return expected !== undefined && value === expected ? expected : parseWord(value, 'receipt')
}

/** Logs of one transaction are contiguous in their block, so a gap is a missing log. */
function checkWhole(logs: Log[]): void {
  for (let at = 1; at < logs.length; at++) {
    if (logs[at]?.logIndex === (logs[at - 1]?.logIndex ?? 0) + 1) continue
    logs.sort((a, b) => a.logIndex - b.logIndex)
    const first = logs[0]?.logIndex ?? 0
    if (logs.some(({ logIndex }, index) => logIndex !== first + index))
      throw new InvalidAnswer('the chain RPC returned a receipt with missing logs')
    return
  }
}

function checkAgreement(receipt: Receipt, found: FoundTransaction): void {
  if (receipt.transaction !== found.transaction)
    throw new InvalidAnswer('the chain RPC returned the receipt of another transaction')
  if (receipt.blockHash !== found.blockHash || receipt.blockNumber !== found.blockNumber)
    throw new RetryableError('a transaction moved to another block while it was read')
  const first = receipt.logs[0]?.logIndex ?? 0
  for (const logIndex of found.logIndexes)
    if (!receipt.logs[logIndex - first])
      throw new InvalidAnswer('the chain RPC returned a receipt without a log that it returned before')
}
