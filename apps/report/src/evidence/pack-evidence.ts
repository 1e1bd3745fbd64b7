import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { PermanentError } from '@tollbook/flow/failure'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { WindowPayment } from '../build/read-window-evidence.ts'
import type { EvidenceArchive, KeptEvidenceFile, NewEvidenceFile } from './evidence-archive.ts'
import { toNdjsonLine } from './evidence-stream.ts'

const pack = promisify(gzip)
/** Smaller evidence, which most merchants have, is packed at once: a tenth of the cost of a stream. */
const PIECE_CHARACTERS = 262_144

/** The position of a merchant's payments in a file, and the digest of their text. */
export type EvidencePlace = {
  readonly at: number
  readonly bytes: number
  /** Of the uncompressed NDJSON, hex. */
  readonly sha256: string
}

export type PackedEvidence = KeptEvidenceFile & { readonly places: ReadonlyMap<Address, EvidencePlace> }

export type EvidencePacking = {
  readonly archive: EvidenceArchive
  /** The first part of the file's name. */
  readonly label: string
  /** By merchant, each in chain order. */
  readonly payments: AsyncIterable<WindowPayment>
  /** The totals that the payments have to add up to. */
  readonly figures: readonly MerchantFigures[]
}

/**
 * Writes the payments of a window as NDJSON in gzip, one member per merchant (RFC 1952 section 2.2): each part is a
 * gzip file, and so is the whole. Holds one chunk. @throws PermanentError when payments and figures differ.
 */
export async function packEvidence(packing: EvidencePacking): Promise<PackedEvidence> {
  const { archive, label, payments, figures } = packing
  const file = await archive.create(label)
  try {
    const places = await writeMembers(file, payments, new Map(figures.map((own) => [own.address, own])))
    if (places.size !== figures.length)
      throw new PermanentError('the ledger has payments of merchants that have no figures')
    return { ...(await file.keep()), places }
  } catch (error) {
    await file.discard()
    throw error
  }
}

async function writeMembers(
  file: NewEvidenceFile,
  payments: AsyncIterable<WindowPayment>,
  figures: ReadonlyMap<Address, MerchantFigures>,
): Promise<ReadonlyMap<Address, EvidencePlace>> {
  const places = new Map<Address, EvidencePlace>()
  const rows = payments[Symbol.asyncIterator]()
  let at = 0
  let row = await rows.next()
  while (!row.done) {
    const { merchant } = row.value
    const own = figures.get(merchant)
    const sum = { tx: 0, amount: 0n, realTx: 0, realAmount: 0n }
    const hash = createHash('sha256')
    let bytes = 0
    const write = async (packed: Uint8Array) => {
      bytes += packed.length
      await file.write(packed)
    }
    await writeMember(pieces(), write)
    if (!isSum(sum, own)) throw new PermanentError(`the payments of ${merchant} do not add up to its figures`)
    places.set(merchant, { at, bytes, sha256: hash.digest('hex') })
    at += bytes

    async function* pieces(): AsyncGenerator<Buffer> {
      let text = ''
      while (!row.done && row.value.merchant === merchant) {
        addPayment(sum, row.value, own?.floor ?? 0n)
        text += toNdjsonLine(row.value)
        row = await rows.next()
        if (text.length < PIECE_CHARACTERS) continue
        yield seal(text)
        text = ''
      }
      if (text !== '') yield seal(text)
    }
    function seal(text: string): Buffer {
      const piece = Buffer.from(text)
      hash.update(piece)
      return piece
    }
  }
  return places
}

async function writeMember(
  pieces: AsyncGenerator<Buffer>,
  write: (packed: Uint8Array) => Promise<void>,
): Promise<void> {
  const first = await pieces.next()
  if (first.done) return
  const second = await pieces.next()
  if (second.done) return write(await pack(first.value))
  const head = [first.value, second.value]
  async function* all() {
    yield* head
    yield* pieces
  }
  await pipeline(Readable.from(all()), createGzip(), async (packed: AsyncIterable<Uint8Array>) => {
    for await (const chunk of packed) await write(chunk)
  })
}

type Sum = { tx: number; amount: AtomicUsdc; realTx: number; realAmount: AtomicUsdc }

/** Adds a payment to the sums that a report states. @param floor the amount from which on payments are counted */
export function addPayment(
  sum: Sum,
  { amount, flag }: Pick<WindowPayment, 'amount' | 'flag'>,
  floor: AtomicUsdc,
): void {
  const count = amount >= floor ? 1 : 0
  sum.tx += count
  sum.amount += amount
  if (flag !== null) return
  sum.realTx += count
  sum.realAmount += amount
}

function isSum(sum: Sum, figures: MerchantFigures | undefined): boolean {
  return (
    figures !== undefined &&
    sum.tx === figures.tx &&
    sum.amount === figures.amount &&
    sum.realTx === figures.realTx &&
    sum.realAmount === figures.realAmount
  )
}
