import type { Transfer } from '../../chain/transfer.ts'
import { writeAmount, writeHex, writeNumber } from '../payment-table.ts'
import type { TableDefinition } from '../table.ts'

/** 72 bytes of addresses and hash, each two bytes when escaped; five numbers of at most 20 digits; separators. */
const MAX_BYTES_PER_ROW = 2 * 72 + 5 * 20 + 8
const NEWLINE = 10

export const TRANSFER_TABLE: TableDefinition<Transfer> = Object.freeze({
  name: 'transfer',
  columns: [
    ['block', 'UInt32'],
    ['log_index', 'UInt32'],
    ['ts', 'UInt32'],
    ['tx', 'FixedString(32)'],
    ['sender', 'FixedString(20)'],
    ['recipient', 'FixedString(20)'],
    ['amount', 'UInt64'],
    ['attempt', 'UInt64'],
  ],
  keyed: ['sender', 'recipient'],
  orderBy: ['sender', 'block', 'log_index'],
  toTsv: toTransferTsv,
} satisfies TableDefinition<Transfer>)

/** @throws RangeError for an amount above a UInt64. */
function toTransferTsv(transfers: readonly Transfer[], attempt: number): Uint8Array {
  const bytes = new Uint8Array(transfers.length * MAX_BYTES_PER_ROW)
  let at = 0
  for (const transfer of transfers) {
    at = writeNumber(bytes, at, transfer.blockNumber)
    at = writeNumber(bytes, at, transfer.logIndex)
    at = writeNumber(bytes, at, transfer.timestamp)
    at = writeHex(bytes, at, transfer.transaction)
    at = writeHex(bytes, at, transfer.sender)
    at = writeHex(bytes, at, transfer.recipient)
    at = writeAmount(bytes, at, transfer.amount)
    at = writeNumber(bytes, at, attempt)
    bytes[at - 1] = NEWLINE
  }
  return bytes.subarray(0, at)
}
