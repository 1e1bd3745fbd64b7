import { drawPdfPage } from '@tollbook/extract/pdf/draw-pdf-page'
import sharp from 'sharp'
import { MAX_SIDE } from '../../ocr/prepare-image.ts'
import type { PageResult } from '../open-page.ts'

/** A page of a scanned PDF as gray PNG, in a worker. @param page from 1 */
export async function drawScannedPage(given: {
  readonly body: Uint8Array
  readonly page: number
}): Promise<PageResult<Uint8Array>> {
  const drawn = await drawPdfPage(given.body, { page: given.page, maxSide: MAX_SIDE })
  if ('refusal' in drawn) return { refusal: drawn.message }
  const { width, height, rgba } = drawn
  const raw = { width, height, channels: 4 as const }
  return { result: await sharp(rgba, { raw }).grayscale().png({ compressionLevel: 1 }).toBuffer() }
}
