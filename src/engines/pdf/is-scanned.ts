import type { OpenPdf } from './open-pdf.ts'
import type { Word } from './read-words.ts'

/** A stamp, a note or the values of a form have fewer characters than this; a page of text has some 2,000. */
const FEW_CHARS = 400
/** Share of the page that pictures of text cover; scans have margins. */
const MIN_COVERED = 0.5
const MAX_OBJECTS = 10_000
/** FPDF_PAGEOBJ_IMAGE and FPDF_PAGEOBJ_FORM of `fpdf_edit.h`. */
const IMAGE = 3
const FORM = 5

/**
 * Whether text recognition may find text on a page: one that draws something, but no text; and one of pictures with
 * few characters, unless they are hidden, which is the text that a scanner has recognised.
 */
export function isScanned(open: OpenPdf, page: number, words: readonly Word[]): boolean {
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
