import type { Block } from '../document/block.ts'
import { buildBlocks } from './build-blocks.ts'
import { isGarbled } from './is-garbled.ts'
import { type OpenPdf, openPdf, type PdfRefusal, readUtf16 } from './open-pdf.ts'
import { orderLines } from './order-lines.ts'
import { readLinks } from './read-links.ts'
import { readShapes } from './read-shapes.ts'
import { readWords, type Word } from './read-words.ts'
import type { Row } from './segments.ts'

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
  /** Whether it is scanned because its fonts do not tell which letters they show. */
  readonly isUnreadable: boolean
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

/** Rows at the top and at the bottom of a page that may be running headers and footers. */
const EDGE_ROWS = 2
/** A row is a running one if so many pages, and half of all, have the same there. */
const MIN_PAGES = 3
/** A page number and a number of pages may change; rows of more numbers are content. */
const MAX_NUMBERS = 2

/** A stamp, a note or the values of a form have fewer characters than this; a page of text has some 2,000. */
const FEW_CHARS = 400
/** Share of the page that pictures of text cover; scans have margins. */
const MIN_COVERED = 0.5
const MAX_OBJECTS = 10_000
/** FPDF_PAGEOBJ_IMAGE and FPDF_PAGEOBJ_FORM of `fpdf_edit.h`. */
const IMAGE = 3
const FORM = 5

/** FREETEXT, STAMP and WIDGET of `fpdf_annot.h`; FLAT_NORMALDISPLAY and FLATTEN_SUCCESS of `fpdf_flatten.h`. */
const WITH_TEXT = [3, 13, 20]
const FOR_DISPLAY = 0
const FLATTENED = 1
const MAX_ANNOTATIONS = 1_000

const DEFAULTS = { firstPage: 1, maxPages: 200, maxChars: 2_000_000 }

/**
 * Reads a PDF into blocks in reading order. Running headers, footers and page numbers are left out. Run it in a
 * process of its own: a hostile document may need any time.
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
      const read: ReadPage[] = []
      let charsLeft = maxChars
      for (let at = firstPage - 1; at < end && charsLeft > 0; at += 1) {
        const page = readPage(open, at, charsLeft)
        read.push(page)
        charsLeft -= page.chars
        regions.push(page.regions)
      }
      const blocks = buildBlocks(limits.keepsRepeated ? regions : dropRepeated(regions))
      return {
        ...readHead(open),
        pageCount,
        pages: blocks.map((ofPage, at) => ({
          number: firstPage + at,
          isScanned: read[at]?.isScanned === true,
          isUnreadable: read[at]?.isUnreadable === true,
          blocks: ofPage,
        })),
        isCut: firstPage - 1 + regions.length < pageCount || charsLeft <= 0,
      }
    },
    limits.maxMemoryBytes,
  )
}

type ReadPage = {
  readonly regions: Row[][]
  readonly chars: number
  readonly isScanned: boolean
  readonly isUnreadable: boolean
}

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
  const read = readWords(open, page, { links, maxChars })
  const isUnreadable = isGarbled(read.words, read.unmappedShare)
  const words = isUnreadable ? [] : read.words
  const chars = words.reduce((sum, { text }) => sum + text.length + 1, 0)
  const isWanting = isUnreadable || isScanned(open, page, words)
  const loaded = page
  const regions = orderLines(words, (turns) => readShapes(open, loaded, turns))
  pdfium.FPDF_ClosePage(page)
  return { regions, chars, isScanned: isWanting, isUnreadable }
}

const UNREADABLE: ReadPage = { regions: [], chars: 0, isScanned: false, isUnreadable: false }

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

/**
 * Whether text recognition may find text on a page: one that draws something, but no text; and one of pictures with
 * few characters, unless they are hidden, which is the text that a scanner has recognised.
 */
function isScanned(open: OpenPdf, page: number, words: readonly Word[]): boolean {
  const { pdfium } = open
  if (words.length === 0) return pdfium.FPDFPage_CountObjects(page) > 0
  const chars = words.reduce((sum, { text }) => sum + text.length, 0)
  if (chars >= FEW_CHARS || words.some(({ isHidden }) => isHidden)) return false
  const area = pdfium.FPDF_GetPageWidthF(page) * pdfium.FPDF_GetPageHeightF(page)
  return measurePictures(open, page) >= MIN_COVERED * area
}

/** The area of all pictures of a page, in square points; a form with a picture counts as one. */
function measurePictures({ pdfium, memory, scratch }: OpenPdf, page: number): number {
  let area = 0
  const count = Math.min(pdfium.FPDFPage_CountObjects(page), MAX_OBJECTS)
  for (let at = 0; at < count; at += 1) {
    const object = pdfium.FPDFPage_GetObject(page, at)
    if (!isPicture(pdfium, object)) continue
    pdfium.FPDFPageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12)
    const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(memory().buffer, scratch, 4)
    area += (right - left) * (top - bottom)
  }
  return area
}

function isPicture(pdfium: OpenPdf['pdfium'], object: number): boolean {
  const type = pdfium.FPDFPageObj_GetType(object)
  if (type !== FORM) return type === IMAGE
  const count = Math.min(pdfium.FPDFFormObj_CountObjects(object), MAX_OBJECTS)
  return Array.from({ length: count }, (_, at) => pdfium.FPDFFormObj_GetObject(object, at)).some(
    (part) => pdfium.FPDFPageObj_GetType(part) === IMAGE,
  )
}

/** Pages without their running headers, footers and page numbers: numbers count as equal. */
function dropRepeated(pages: readonly Row[][][]): Row[][][] {
  const counts = new Map<string, number>()
  const edges = pages.map((page) => {
    const rows = page.flat().filter((row) => row[0]?.words[0]?.turns === 0)
    const sorted = rows.toSorted((one, other) => baselineOf(one) - baselineOf(other))
    const keys = new Map<Row, string>()
    // A page of few rows, such as a slide, would lose all its text.
    if (sorted.length > 2 * EDGE_ROWS) {
      for (const row of sorted.slice(0, EDGE_ROWS)) keys.set(row, keyOf(row, 'top'))
      for (const row of sorted.slice(-EDGE_ROWS)) keys.set(row, keyOf(row, 'bottom'))
    }
    for (const key of new Set(keys.values())) counts.set(key, (counts.get(key) ?? 0) + 1)
    return keys
  })
  const min = Math.max(MIN_PAGES, pages.length / 2)
  return pages.map((page, at) =>
    page
      .map((region) => region.filter((row) => (counts.get(edges[at]?.get(row) ?? '') ?? 0) < min))
      .filter((region) => region.length > 0),
  )
}

function baselineOf(row: Row): number {
  return row[0]?.baseline ?? 0
}

/** Text and height; a page number alone may be left or right. */
function keyOf(row: Row, edge: string): string {
  const text = row.flatMap(({ words }) => words.map((word) => word.text)).join(' ')
  const numbers = /\d+|\b[ivxlc]+\b/g
  const pattern = (text.match(numbers)?.length ?? 0) <= MAX_NUMBERS ? text.replace(numbers, '#') : text
  return `${edge} ${Math.round(baselineOf(row) / 4)} ${pattern}`
}
