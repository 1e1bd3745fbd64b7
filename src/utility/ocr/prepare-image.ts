import sharp from 'sharp'
import { MAX_IMAGE_SIDE } from '../../engines/vectorize/decode/decode-image.ts'
import { countSpecks } from './count-specks.ts'

/** Pixels of an image that is decoded, and of a side of the one that is read. */
const MAX_PIXELS = 50_000_000
export const MAX_SIDE = 3_000
/** Smaller images are enlarged: Tesseract needs letters of some 20 pixels. */
const MIN_SIDE = 1_000
const MAX_SCALE = 3

/** The least pixels for each dark area of an image that can be text; small print has 100, noise 15. */
const MIN_PIXELS_PER_SPECK = 40

/** Whether an image has so many specks that it is noise, which would hold the recogniser up for half a minute. */
export async function isNoise(image: Uint8Array): Promise<boolean> {
  const { data, info } = await sharp(image).grayscale().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return countSpecks({ pixels: data, width, height }) > (width * height) / MIN_PIXELS_PER_SPECK
}

/** An image of a stranger as gray PNG of a bearable size; null if it is broken, too long or has more than 50 million pixels. */
export async function prepareImage(body: Uint8Array): Promise<Buffer | null> {
  try {
    const image = sharp(body, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient()
    const { width, height } = (await image.metadata()).autoOrient
    const side = Math.max(width, height)
    if (side > MAX_IMAGE_SIDE) return null
    const scale = Math.min(MAX_SIDE / side, Math.min(MAX_SCALE, Math.max(1, MIN_SIDE / side)))
    const [across = 1, down = 1] = [width, height].map((length) => Math.max(1, Math.round(length * scale)))
    // A side of less than a pixel becomes one; the other does not grow with it.
    const resized = image.flatten({ background: '#fff' }).grayscale().resize(across, down, { fit: 'fill' })
    return await resized.png({ compressionLevel: 1 }).toBuffer()
  } catch {
    return null
  }
}
