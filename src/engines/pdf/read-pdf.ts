import type { Block } from '../extract/document/block.ts'
import { buildBlocks } from './build-blocks.ts'
import { dropRepeated } from './drop-repeated.ts'
import { isScanned } from './is-scanned.ts'
import { type OpenPdf, openPdf, type PdfRefusal, readUtf16 } from './open-pdf.ts'
import { orderLines, type Row } from './order-lines.ts'
import { readLinks } from './read-links.ts'
import { readWords, type Word } from './read-words.ts'

export type PdfLimits = {
  /** The first page to read, from 1; default 1. */
  readonly firstPage?: number
  /** Pages to read; default 200. */
  readonly maxPages?: number
  /** Characters to read from all pages; default 2,000,000. */
  readonly maxChars?: number
  /** Memory of PDFium, bytes; default 256 MB. */
  readonly maxMemoryBytes?: number
  /** Whether to keep running headers and footers; default false. */
  readonly keepsRepeated?: boolean
}

export type PdfPage = {
  /** From 1. */
  readonly number: number
  /** Whether its text is in pictures, except for a stamp, a note or the values of a form. */
  readonly isScanned: boolean
  readonly blocks: readonly Block[]
}

export type PdfDocument = {
  readonly title: string | null
  readonly author: string | null
  /** ISO 8601, from the document's own metadata. */
  readonly created: string | null
  readonly modified: string | null
  /** BCP 47, as the document declares it. */
  readonly language: string | null
  /** Of the document, also if fewer were read. */
  readonly pageCount: number
  readonly pages: readonly PdfPage[]
  /** Whether pages after the last one in `pages`, or characters of it, were not read. */
  readonly isCut: boolean
}

/** FREETEXT, STAMP and WIDGET of `fpdf_annot.h`; FLAT_NORMALDISPLAY and FLATTEN_SUCCESS of `fpdf_flatten.h`. */
const WITH_TEXT = [3, 13, 20]
const FOR_DISPLAY = 0
const FLATTENED = 1
const MAX_ANNOTATIONS = 1_000

const DEFAULTS = { firstPage: 1, maxPages: 200, maxChars: 2_000_000 }

/**
 * Reads a PDF into blocks in reading order. Running headers, footers and page numbers are left out. Run it in a
 * worker thread: a hostile document may need any time.
 * @example
 * const read = await readPdf(bytes, { maxPages: 20 })
 * if ('refusal' in read) throw new Error(read.message)
 */
export async function readPdf(bytes: Uint8Array, limits: PdfLimits = {}): Promise<PdfDocument | PdfRefusal> {
  const { firstPage, maxPages, maxChars } = { ...DEFAULTS, ...limits }
  return await openPdf(
    bytes,
    (open): PdfDocument | PdfRefusal => {
      const { pageCount } = open
      if (firstPage > pageCount) {
        return {
          refusal: 'no_such_page',
          message: `The PDF has ${pageCount} pages; page ${firstPage} was requested.`,
        }
      }
      const end = Math.min(pageCount, firstPage - 1 + maxPages)
      const regions: Row[][][] = []
      const scanned: boolean[] = []
      let charsLeft = maxChars
      for (let at = firstPage - 1; at < end && charsLeft > 0; at += 1) {
        const { words, ...page } = readPage(open, at, charsLeft)
        scanned.push(page.isScanned)
        for (const { text } of words) charsLeft -= text.length + 1
        regions.push(orderLines(words))
      }
      const blocks = buildBlocks(limits.keepsRepeated ? regions : dropRepeated(regions))
      return {
        ...readHead(open),
        pageCount,
        pages: blocks.map((ofPage, at) => ({
          number: firstPage + at,
          isScanned: scanned[at] === true,
          blocks: ofPage,
        })),
        isCut: firstPage - 1 + regions.length < pageCount || charsLeft <= 0,
      }
    },
    limits.maxMemoryBytes,
  )
}

type ReadPage = { readonly words: readonly Word[]; readonly isScanned: boolean }

function readPage(open: OpenPdf, at: number, maxChars: number): ReadPage {
  const { pdfium, document } = open
  let page = pdfium.FPDF_LoadPage(document, at)
  if (!page) return UNREADABLE
  // Flattening drops the links.
  const links = readLinks(open, page)
  if (hasDrawnAnnotation(open, page) && pdfium.FPDFPage_Flatten(page, FOR_DISPLAY) === FLATTENED) {
    pdfium.FPDF_ClosePage(page)
    page = pdfium.FPDF_LoadPage(document, at)
    if (!page) return UNREADABLE
  }
  const words = readWords(open, page, { links, maxChars })
  const read = { words, isScanned: isScanned(open, page, words) }
  pdfium.FPDF_ClosePage(page)
  return read
}

const UNREADABLE: ReadPage = { words: [], isScanned: false }

/** Whether a page has text outside its content: the values of a form, or notes on the page. */
function hasDrawnAnnotation({ pdfium }: OpenPdf, page: number): boolean {
  const count = Math.min(pdfium.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)
  for (let at = 0; at < count; at += 1) {
    const annotation = pdfium.FPDFPage_GetAnnot(page, at)
    if (!annotation) continue
    const type = pdfium.FPDFAnnot_GetSubtype(annotation)
    pdfium.FPDFPage_CloseAnnot(annotation)
    if (WITH_TEXT.includes(type)) return true
  }
  return false
}

function readHead(
  open: OpenPdf,
): Pick<PdfDocument, 'title' | 'author' | 'created' | 'modified' | 'language'> {
  const { pdfium, document } = open
  const read = (key: string) =>
    readUtf16(open, (buffer, length) => pdfium.FPDF_GetMetaText(document, key, buffer, length)).trim() || null
  const language = readUtf16(open, (buffer, length) =>
    pdfium.FPDFCatalog_GetLanguage(document, buffer, length),
  )
  return {
    title: read('Title'),
    author: read('Author'),
    created: parsePdfDate(read('CreationDate') ?? ''),
    modified: parsePdfDate(read('ModDate') ?? ''),
    language: /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(language) ? language : null,
  }
}

/**
 * A date such as `D:20260115093000+01'00'` (ISO 32000-1, 7.9.4) as ISO 8601 in UTC; without a time zone it counts
 * as UTC.
 */
export function parsePdfDate(text: string): string | null {
  const match = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-]\d\d)'?(\d\d)?)?/.exec(text)
  if (!match) return null
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    zone,
    zoneMinute = '00',
  ] = match
  const offset = zone === undefined ? 'Z' : `${zone}:${zoneMinute}`
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
