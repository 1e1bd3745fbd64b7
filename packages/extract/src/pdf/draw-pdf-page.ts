import { countPixels, MAX_PIXELS } from './count-pixels.ts'
import { openPdf, type PdfRefusal } from './open-pdf.ts'

/** A page as pixels, opaque, four bytes each in the order red, green, blue, alpha. */
export type PageImage = { readonly width: number; readonly height: number; readonly rgba: Uint8Array }

const POINTS_PER_INCH = 72
const WHITE = 0xffffffff
/** FPDFBitmap_BGRA, FPDF_ANNOT and FPDF_REVERSE_BYTE_ORDER of `fpdfview.h`. */
const FORMAT = 4
const FLAGS = 0x01 | 0x10

/**
 * Draws one page on white.
 * @param options.page from 1
 * @param options.dpi pixels per inch; default 200, at which OCR reads 10 point text
 * @param options.maxSide of the image, pixels; larger pages are drawn smaller; default 3,000
 * @example
 * const image = await drawPdfPage(bytes, { page: 1 })
 * if ('refusal' in image) throw new Error(image.message)
 */
export async function drawPdfPage(
  bytes: Uint8Array,
  options: { readonly page: number; readonly dpi?: number; readonly maxSide?: number },
): Promise<PageImage | PdfRefusal> {
  const { page: number, dpi = 200, maxSide = 3_000 } = options
  return await openPdf(bytes, (open): PageImage | PdfRefusal => {
    const { pdfium, memory, document, pageCount } = open
    const page = number <= pageCount ? pdfium.FPDF_LoadPage(document, number - 1) : 0
    if (!page) return { refusal: 'no_such_page', message: `The PDF has no readable page ${number}.` }
    if (countPixels(open, page) > MAX_PIXELS)
      return { refusal: 'too_large', message: 'The pictures of the page have more than 400 million pixels.' }
    const widthPt = pdfium.FPDF_GetPageWidthF(page)
    const heightPt = pdfium.FPDF_GetPageHeightF(page)
    const scale = Math.min(dpi / POINTS_PER_INCH, maxSide / Math.max(widthPt, heightPt, 1))
    const width = Math.max(1, Math.round(widthPt * scale))
    const height = Math.max(1, Math.round(heightPt * scale))
    const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, FORMAT, 0, 0)
    if (!bitmap) return { refusal: 'too_large', message: 'The page needs more memory than is available.' }
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE)
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS)
    const start = pdfium.FPDFBitmap_GetBuffer(bitmap)
    return { width, height, rgba: memory().slice(start, start + width * height * 4) }
  })
}
