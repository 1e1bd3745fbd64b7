import { open, rename, rm, writeFile } from 'node:fs/promises'
import type { Hex } from '@tollbook/chain/hex'
import { PermanentError } from '@tollbook/flow/failure'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { ChainOf } from '../chunk-journal.ts'
import { readCoverage } from '../coverage/coverage.ts'
import type { LedgerReader } from '../ledger.ts'
import { digestOf, type Manifest, manifestPathOf } from './manifest.ts'
import { convertToParquet } from './parquet.ts'
import { CSV_HEADER, toPaymentLine } from './payment-csv.ts'
import { countPayments, readPayments } from './read-payments.ts'

export type PaymentExport = ChainOf & {
  readonly ledger: LedgerReader
  readonly range: BlockRange
  readonly lastBlockHash: Hex
  readonly format: 'csv' | 'parquet'
  /** Path of the file to create; its manifest has the same path with `.json` appended. */
  readonly file: string
  readonly onProgress: (done: number, total: number) => void
}

/** Lines buffered before they are written. */
const PIECE_CHARACTERS = 1_000_000

/**
 * Writes the payments of a block range to a file, in chain order, with a manifest; the file is complete or
 * absent.
 * @throws PermanentError when blocks of the range are not in the ledger.
 */
export async function exportPayments(request: PaymentExport, signal: AbortSignal): Promise<Manifest> {
  const { ledger, range, format, file } = request
  const coverage = await readCoverage(request)
  if (range.firstBlock >= range.endBlock) throw new PermanentError('the block range is empty')
  if (range.firstBlock < coverage.firstBlock || range.endBlock > coverage.endBlock) {
    throw new PermanentError(
      `the ledger holds blocks ${coverage.firstBlock} to ${coverage.endBlock - 1}, ` +
        `not all from ${range.firstBlock} to ${range.endBlock - 1}`,
    )
  }
  const selection = { coverage, range }
  const total = await countPayments(ledger, selection, signal)
  const csv = `${file}.csv.part`
  const parquet = `${file}.part`
  try {
    const payments = await writeCsv(csv, { ...request, selection, total }, signal)
    if (payments !== total) throw new PermanentError('the ledger returned inconsistent results for a range')
    if (format === 'parquet') {
      await rm(parquet, { force: true })
      await convertToParquet({ from: csv, to: parquet }, signal)
    }
    const done = format === 'parquet' ? parquet : csv
    const manifest: Manifest = {
      format: 'tollbook-payments',
      version: 1,
      chain: request.chain,
      first_block: range.firstBlock,
      end_block: range.endBlock,
      last_block_hash: request.lastBlockHash,
      payments,
      sha256: await digestOf(done),
    }
    await writeFile(manifestPathOf(file), `${JSON.stringify(manifest, null, 2)}\n`)
    await rename(done, file)
    return manifest
  } finally {
    await rm(csv, { force: true })
    await rm(parquet, { force: true })
  }
}

async function writeCsv(
  path: string,
  {
    ledger,
    selection,
    total,
    onProgress,
  }: PaymentExport & { selection: Parameters<typeof readPayments>[1]; total: number },
  signal: AbortSignal,
): Promise<number> {
  const handle = await open(path, 'w')
  try {
    let piece = CSV_HEADER
    let rows = 0
    for await (const payment of readPayments(ledger, selection, signal)) {
      piece += toPaymentLine(payment)
      rows++
      if (piece.length < PIECE_CHARACTERS) continue
      await handle.appendFile(piece)
      onProgress(rows, total)
      piece = ''
    }
    await handle.appendFile(piece)
    await handle.sync()
    return rows
  } finally {
    await handle.close()
  }
}
