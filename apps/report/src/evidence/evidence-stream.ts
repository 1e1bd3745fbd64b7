import { formatUsd, toExactUsdNumber } from '@tollbook/chain/usdc'
import { toUtcText } from '@tollbook/verify/build/compose-report'
import { utcTime } from '@tollbook/verify/build/merchant-report'
import * as z from 'zod'
import type { ScreenedPayment } from '../build/read-evidence.ts'
import { toCsvLine } from './csv.ts'

/** A payment as NDJSON has it. */
export const evidenceLineShape = z
  .object({
    block: z.int(),
    log_index: z.int().min(0),
    time: utcTime,
    transaction: z.string(),
    buyer: z.string(),
    amount_usd: z.number().min(0).describe('Exact, up to six decimals.'),
    verdict: z.enum(['passes', 'flagged']),
    flag: z.string().nullable().describe('The kind of flag under which the payment counts.'),
    fee_usd: z
      .number()
      .optional()
      .describe('What routers, or an escrow, kept of what the buyer paid; absent without.'),
  })
  .meta({ contentMediaType: 'application/x-ndjson' })
export type EvidenceLine = z.output<typeof evidenceLineShape>

/** Never more: published weeks stay byte for byte. Fees are in NDJSON only. */
const COLUMNS = [
  'block',
  'log_index',
  'time',
  'transaction',
  'buyer',
  'amount_usd',
  'verdict',
  'flag',
] as const
/** Size of the buffer for text: one chunk per row would cost more than the rows. */
const PIECE_CHARACTERS = 32_768

export type EvidenceFormat = 'csv' | 'ndjson'

/** Encodes evidence as a stream of bytes and buffers only the current chunk. */
export async function* writeEvidence(
  rows: AsyncIterable<ScreenedPayment>,
  format: EvidenceFormat,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const write = format === 'csv' ? toCsv : toNdjsonLine
  let piece = format === 'csv' ? toCsvLine(COLUMNS) : ''
  for await (const row of rows) {
    piece += write(row)
    if (piece.length < PIECE_CHARACTERS) continue
    yield encoder.encode(piece)
    piece = ''
  }
  if (piece !== '') yield encoder.encode(piece)
}

function toCsv(row: ScreenedPayment): string {
  return toCsvLine([
    row.blockNumber,
    row.logIndex,
    toUtcText(row.timestamp),
    row.transaction,
    row.buyer,
    formatUsd(row.amount),
    verdictOf(row),
    row.flag,
  ])
}

/** A payment as one line of NDJSON, including the line feed. */
export function toNdjsonLine(row: ScreenedPayment): string {
  const line: EvidenceLine = {
    block: row.blockNumber,
    log_index: row.logIndex,
    time: toUtcText(row.timestamp),
    transaction: row.transaction,
    buyer: row.buyer,
    amount_usd: toExactUsdNumber(row.amount),
    verdict: verdictOf(row),
    flag: row.flag,
    ...(row.fee && { fee_usd: toExactUsdNumber(row.fee) }),
  }
  return `${JSON.stringify(line)}\n`
}

function verdictOf(row: ScreenedPayment): EvidenceLine['verdict'] {
  return row.flag === null ? 'passes' : 'flagged'
}
