import { formatUsd, toExactUsdNumber } from '../../../money/usdc.ts'
import { toUtcText } from '../../build/compose-report.ts'
import { toCsvLine } from './csv.ts'
import type { EvidenceRow } from './evidence.ts'

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
  rows: AsyncIterable<EvidenceRow>,
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

function toCsv(row: EvidenceRow): string {
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

export type EvidenceLine = {
  readonly block: number
  readonly log_index: number
  readonly time: string
  readonly transaction: string
  readonly buyer: string
  /** Exact, up to six decimals. */
  readonly amount_usd: number
  readonly verdict: 'passes' | 'flagged'
  readonly flag: string | null
  /** Absent without a fee. */
  readonly fee_usd?: number
}

/** A payment as one line of NDJSON, including the line feed. */
export function toNdjsonLine(row: EvidenceRow): string {
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

function verdictOf(row: EvidenceRow): 'passes' | 'flagged' {
  return row.flag === null ? 'passes' : 'flagged'
}
