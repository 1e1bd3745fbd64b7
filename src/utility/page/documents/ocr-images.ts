import sharp from 'sharp'
import { drawPdfPage } from '../../../engines/pdf/draw-pdf-page.ts'
import type { PageResult } from '../open-page.ts'

/** Pixels of an image that is decoded, and of a side of the one that is read. */
const MAX_PIXELS = 50_000_000
const MAX_SIDE = 3_000
/** Smaller images are enlarged: Tesseract needs letters of some 20 pixels. */
const MIN_SIDE = 1_000
const MAX_SCALE = 3

/** An image as gray PNG for text recognition, in a worker. */
export async function prepareImage(body: Uint8Array): Promise<PageResult<Uint8Array>> {
  try {
    const image = sharp(body, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient()
    const { width, height } = (await image.metadata()).autoOrient
    const side = Math.max(width, height)
    const scale = Math.min(MAX_SIDE / side, Math.min(MAX_SCALE, Math.max(1, MIN_SIDE / side)))
    const resized = image
      .flatten({ background: '#fff' })
      .grayscale()
      .resize(Math.max(1, Math.round(width * scale)))
    return { result: await resized.png({ compressionLevel: 1 }).toBuffer() }
  } catch {
    return { refusal: 'The image is broken, or has more than 50 million pixels.' }
  }
}

/** A page of a scanned PDF as gray PNG, in a worker. @param page from 1 */
export async function preparePdfPage(given: {
  readonly body: Uint8Array
  readonly page: number
}): Promise<PageResult<Uint8Array>> {
  const drawn = await drawPdfPage(given.body, { page: given.page, maxSide: MAX_SIDE })
  if ('refusal' in drawn) return { refusal: drawn.message }
  const { width, height, rgba } = drawn
  const raw = { width, height, channels: 4 as const }
  return { result: await sharp(rgba, { raw }).grayscale().png({ compressionLevel: 1 }).toBuffer() }
}
