import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import type { Payment } from '@tollbook/verify/chain/payment'
import { type ChainOf, PAYMENT_CHUNKS } from '../chunk-journal.ts'
import { beginAttempt, cover, type NewChunk, readCoverage, startCoverage } from '../coverage/coverage.ts'
import type { Ledger } from '../ledger.ts'
import type { Manifest } from './manifest.ts'
import { CSV_HEADER, OLD_CSV_HEADER, parsePaymentLine, toPaymentLine } from './payment-csv.ts'
import { readPayments } from './read-payments.ts'

export type PaymentImport = ChainOf & {
  readonly ledger: Ledger
  /** Payments as CSV, in chain order. */
  readonly csv: string
  readonly manifest: Manifest
  readonly onProgress: (done: number, total: number) => void
  readonly now: () => Date
}

export type Imported = {
  readonly imported: number
  /** Payments of the file that the ledger already had, with equal values. */
  readonly alreadyThere: number
}

/** Rows that become visible together; a killed import resumes after the last such piece. */
const ROWS_PER_PIECE = 50_000

/**
 * Adds exported payments after or before the covered blocks, or to an empty ledger; compares covered ones.
 * @throws PermanentError when the file is of another chain, would leave a gap or an overlap, or conflicts
 * with stored payments; RetryableError when an indexer runs at the same time.
 */
export async function importPayments(request: PaymentImport, signal: AbortSignal): Promise<Imported> {
  const { manifest, ledger, now } = request
  const plan = await planImport(request, manifest)
  if (plan.kind === 'begin') await startCoverage(request, manifest.first_block, now())
  // Blocks before this one are compared, the others are written.
  const writeFrom = plan.kind === 'prepend' || plan.kind === 'begin' ? manifest.first_block : plan.nextBlock
  const range = { firstBlock: manifest.first_block, endBlock: writeFrom }
  const held =
    writeFrom > manifest.first_block
      ? readPayments(ledger, { coverage: await readCoverage(request), range }, signal)
      : null
  const chunks: NewChunk[] = []
  let piece: Payment[] = []
  let pieceFrom = writeFrom
  let alreadyThere = 0
  let imported = 0
  const write = async (endBlock: number) => {
    const range = { firstBlock: pieceFrom, endBlock }
    const attempt = await beginAttempt(request, range, now())
    await ledger.insert(attempt, piece, signal)
    // Only a reader of the logs knows the misses.
    const chunk = {
      ...range,
      attempt,
      payments: piece.length,
      misses: 0,
      checkpoint: checkpointOf(manifest, endBlock),
    }
    if (plan.kind === 'prepend') chunks.push(chunk)
    else await cover(request, chunk, now())
    imported += piece.length
    piece = []
    pieceFrom = endBlock
  }
  for await (const payment of readFile(request)) {
    signal.throwIfAborted()
    if (payment.blockNumber < writeFrom) {
      await compare(payment, await held?.next())
      alreadyThere++
    } else {
      if (piece.length >= ROWS_PER_PIECE && payment.blockNumber !== piece.at(-1)?.blockNumber)
        await write(payment.blockNumber)
      piece.push(payment)
    }
    request.onProgress(alreadyThere + imported + piece.length, manifest.payments)
  }
  if (held && !(await held.next()).done) throw differs(manifest.first_block, writeFrom)
  if (alreadyThere + imported + piece.length !== manifest.payments)
    throw new PermanentError(`the file does not contain the ${manifest.payments} payments of its manifest`)
  if (pieceFrom < manifest.end_block) await write(manifest.end_block)
  if (plan.kind === 'prepend') await coverBefore(request, chunks, now())
  return { imported, alreadyThere }
}

/** Only the end of the file has a known hash. */
function checkpointOf(manifest: Manifest, endBlock: number) {
  return endBlock === manifest.end_block ? { number: endBlock - 1, hash: manifest.last_block_hash } : null
}

/** The payments of the file, each later on the chain than the previous one. */
async function* readFile({ csv, manifest }: PaymentImport): AsyncGenerator<Payment> {
  const lines = createInterface({ input: createReadStream(csv), crlfDelay: Number.POSITIVE_INFINITY })
  let lineNumber = 0
  let block = manifest.first_block
  let log = -1
  for await (const line of lines) {
    lineNumber++
    if (lineNumber === 1) {
      if (![CSV_HEADER.trimEnd(), OLD_CSV_HEADER].includes(line.replaceAll('"', '')))
        throw new PermanentError(`the first line is not ${CSV_HEADER.trimEnd()}`)
      continue
    }
    const payment = parsePaymentLine(line, lineNumber)
    const { blockNumber, logIndex } = payment
    const isLater = blockNumber > block || (blockNumber === block && logIndex > log)
    if (!isLater || blockNumber >= manifest.end_block)
      throw new PermanentError(
        `line ${lineNumber} is out of order, a duplicate, or outside the manifest's blocks`,
      )
    block = blockNumber
    log = logIndex
    yield payment
  }
}

async function compare(payment: Payment, held: IteratorResult<Payment, void> | undefined): Promise<void> {
  const isSame = held && !held.done && toPaymentLine(held.value) === toPaymentLine(payment)
  if (!isSame) throw differs(payment.blockNumber, payment.blockNumber + 1)
}

function differs(firstBlock: number, endBlock: number): PermanentError {
  const where =
    endBlock - firstBlock === 1 ? `block ${firstBlock}` : `blocks ${firstBlock} to ${endBlock - 1}`
  return new PermanentError(
    `the ledger already covers ${where} with payments that differ from the file; no change was made there`,
  )
}

/**
 * Makes written chunks, contiguous and in order, visible before the first covered block, all at once.
 * @throws RetryableError when coverage meanwhile begins elsewhere, or the attempts were given up.
 */
async function coverBefore({ state, chain }: ChainOf, chunks: readonly NewChunk[], now: Date): Promise<void> {
  const [first, last] = [chunks[0], chunks.at(-1)]
  if (!first || !last) return
  await state.db.transaction().execute(async (transaction) => {
    const moved = await transaction
      .updateTable('index_chain')
      // Blocks that were dropped before are available again.
      .set({ first_block: first.firstBlock, dropped_until: null, changed_at: now.getTime() })
      .where('chain', '=', chain)
      .where('first_block', '=', last.endBlock)
      .returning('chain')
      .execute()
    if (moved.length === 0) throw new RetryableError('the start of the ledger changed during the import')
    for (const { attempt, payments, misses } of chunks)
      await PAYMENT_CHUNKS.cover(transaction, { chain, now }, { attempt, payments, misses })
  })
}

type ImportPlan =
  /** Nothing was ever read: coverage begins with the file. */
  | { readonly kind: 'begin' }
  /** The file continues where coverage ends, or repeats some of the blocks before. */
  | { readonly kind: 'append'; readonly nextBlock: number }
  /** Coverage begins where the file ends. */
  | { readonly kind: 'prepend' }

/** Compares the blocks of a file with the covered ones. @throws PermanentError for another chain or a gap. */
async function planImport({ state, chain }: ChainOf, manifest: Manifest): Promise<ImportPlan> {
  if (manifest.chain !== chain) {
    throw new PermanentError(
      `the file contains payments of another chain: its genesis block is ${manifest.chain}, the ledger's is ${chain}`,
    )
  }
  const row = await state.db
    .selectFrom('index_chain')
    .select(['first_block', 'next_block'])
    .where('chain', '=', chain)
    .executeTakeFirst()
  const { first_block: first, end_block: end } = manifest
  if (!row) return { kind: 'begin' }
  if (row.first_block === row.next_block) {
    // The configured start of indexing is not binding before a block was read.
    await state.db
      .deleteFrom('index_chain')
      .where('chain', '=', chain)
      .where('next_block', '=', row.first_block)
      .execute()
    return { kind: 'begin' }
  }
  const isThere = `the ledger covers blocks ${row.first_block} to ${row.next_block - 1}`
  const inFile = `the file contains ${first} to ${end - 1}`
  if (end === row.first_block) return { kind: 'prepend' }
  if (end < row.first_block || first > row.next_block)
    throw new PermanentError(`${isThere}, ${inFile}: importing it would leave a gap between them`)
  if (first < row.first_block) {
    throw new PermanentError(
      `${isThere}, ${inFile}: they overlap; import a file that ends before block ${row.first_block}`,
    )
  }
  return { kind: 'append', nextBlock: Math.min(row.next_block, end) }
}
