import { PermanentError } from '@tollbook/flow/failure'
import type { Payment } from '@tollbook/verify/chain/payment'

/** Columns of exported payments with their types in DuckDB. `timestamp` is epoch seconds, `amount` micro-USDC, `evidence` a sum of bits. */
export const EXPORT_COLUMNS = Object.freeze([
  ['block', 'UINTEGER'],
  ['log_index', 'UINTEGER'],
  ['timestamp', 'UINTEGER'],
  ['transaction', 'VARCHAR'],
  ['buyer', 'VARCHAR'],
  ['merchant', 'VARCHAR'],
  ['amount', 'UBIGINT'],
  ['facilitator', 'VARCHAR'],
  ['evidence', 'UTINYINT'],
  ['fee', 'UBIGINT'],
] as const)

/** The first line of files without fees, as older versions wrote them. */
export const OLD_CSV_HEADER =
  'block,log_index,timestamp,transaction,buyer,merchant,amount,facilitator,evidence'

/** The first line; every line ends as RFC 4180 requires. */
export const CSV_HEADER = `${EXPORT_COLUMNS.map(([name]) => name).join(',')}\r\n`

const LINE =
  /^(\d{1,10}),(\d{1,10}),(\d{1,10}),(0x[0-9a-f]{64}),(0x[0-9a-f]{40}),(0x[0-9a-f]{40}),(\d{1,20}),(0x[0-9a-f]{40}),(\d{1,3})(?:,(\d{1,20}))?$/

/** A payment as a line; no value ever needs quotes. */
export function toPaymentLine(payment: Payment): string {
  const {
    blockNumber,
    logIndex,
    timestamp,
    transaction,
    buyer,
    merchant,
    amount,
    facilitator,
    evidence,
    fee = 0n,
  } = payment
  return `${blockNumber},${logIndex},${timestamp},${transaction},${buyer},${merchant},${amount},${facilitator},${evidence},${fee}\r\n`
}

/** Parses a line without its end; values may be quoted. @throws PermanentError for anything but a payment. */
export function parsePaymentLine(line: string, lineNumber: number): Payment {
  const found = LINE.exec(line.replaceAll('"', ''))
  if (!found) throw new PermanentError(`line ${lineNumber} is not a payment`)
  const [, block, log, time, transaction, buyer, merchant, amount = '', facilitator, evidence, fee = '0'] =
    found
  return {
    blockNumber: Number(block),
    logIndex: Number(log),
    timestamp: Number(time),
    amount: BigInt(amount),
    ...(fee !== '0' && { fee: BigInt(fee) }),
    evidence: Number(evidence),
    // The pattern matched hex.
    transaction: transaction as `0x${string}`,
    buyer: buyer as `0x${string}`,
    merchant: merchant as `0x${string}`,
    facilitator: facilitator as `0x${string}`,
  }
}
