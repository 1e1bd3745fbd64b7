import type { Address, Hex } from '@tollbook/chain/hex'
import * as z from 'zod'
import type { ScreenedPayment } from '../build/read-evidence.ts'

/** The stream of payments from the ledger's process: one JSON array per line, and the count at the end. */
const hex = z.templateLiteral(['0x', z.string()])
const rowSchema = z.tuple([
  z.int(),
  z.int(),
  z.int(),
  hex,
  hex,
  z.string().regex(/^\d+$/),
  z.string().nullable(),
  // Absent without a fee.
  z.string().regex(/^\d+$/).optional(),
])
const endSchema = z.object({ rows: z.int() })

export function toEvidenceLine(row: ScreenedPayment): string {
  const { blockNumber, logIndex, timestamp, transaction, buyer, amount, flag, fee } = row
  const values = [blockNumber, logIndex, timestamp, transaction, buyer, String(amount), flag]
  return `${JSON.stringify(fee === undefined ? values : [...values, String(fee)])}\n`
}

/** The last line, which proves to the reader that nothing is missing. */
export function toEndLine(rows: number): string {
  return `${JSON.stringify({ rows })}\n`
}

/** Parses a line: a payment, or the final count. @throws when it is neither. */
export function parseEvidenceLine(line: string): ScreenedPayment | { readonly rows: number } {
  const value: unknown = JSON.parse(line)
  if (!Array.isArray(value)) return endSchema.parse(value)
  const [blockNumber, logIndex, timestamp, transaction, buyer, amount, flag, fee] = rowSchema.parse(value)
  return {
    blockNumber,
    logIndex,
    timestamp,
    flag,
    amount: BigInt(amount),
    ...(fee !== undefined && { fee: BigInt(fee) }),
    // Written by toEvidenceLine from exactly these types.
    transaction: transaction as Hex,
    buyer: buyer as Address,
  }
}
