import type { OpenPdf } from './open-pdf.ts'

/** A page of 1,200 dpi on paper of 50 by 35 cm; PDFium unpacks all of them, however small it draws the picture. */
export const MAX_PIXELS = 400_000_000
/** FPDF_PAGEOBJ_IMAGE and FPDF_PAGEOBJ_FORM of `fpdf_edit.h`. */
const IMAGE = 3
const FORM = 5

/**
 * The pixels of all pictures that a page draws, each as often as it is drawn, also in forms; counting ends beyond the
 * limit. Those of patterns, masks and annotations are not counted.
 */
export function countPixels(open: OpenPdf, page: number): number {
  const { pdfium, memory, scratch } = open
  const waiting: number[] = []
  const add = (count: number, get: (at: number) => number) => {
    for (let at = 0; at < count; at += 1) waiting.push(get(at))
  }
  add(pdfium.FPDFPage_CountObjects(page), (at) => pdfium.FPDFPage_GetObject(page, at))
  let pixels = 0
  for (let next = waiting.pop(); next !== undefined && pixels <= MAX_PIXELS; next = waiting.pop()) {
    const object = next
    const type = pdfium.FPDFPageObj_GetType(object)
    if (type === IMAGE && pdfium.FPDFImageObj_GetImagePixelSize(object, scratch, scratch + 4)) {
      const [width = 0, height = 0] = new Uint32Array(memory().buffer, scratch, 2)
      pixels += width * height
    } else if (type === FORM)
      add(pdfium.FPDFFormObj_CountObjects(object), (at) => pdfium.FPDFFormObj_GetObject(object, at))
  }
  return pixels
}
