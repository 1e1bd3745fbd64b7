import { countSpecks } from '@tollbook/extract/ocr/count-specks'
import type { GrayImage } from '@tollbook/extract/ocr/gray-image'
import { MAX_IMAGE_SIDE } from '@tollbook/vectorize/decode/decode-image'
import sharp, { type OutputInfo } from 'sharp'

/** Pixels of an image that is decoded, and of a side of the one that is read. */
const MAX_PIXELS = 50_000_000
export const MAX_SIDE = 2_200

/** The least pixels for each dark area of an image that can be text; small print has 100, noise 15. */
const MIN_PIXELS_PER_SPECK = 40

/** Whether an image has so many specks that it is noise, which would hold the recogniser up for half a minute. */
export function isNoise(image: GrayImage): boolean {
  return countSpecks(image) > (image.width * image.height) / MIN_PIXELS_PER_SPECK
}

/** An image of a stranger in gray, of a bearable size; null if it is broken, too long or has more than 50 million pixels. */
export async function prepareImage(body: Uint8Array): Promise<GrayImage | null> {
  try {
    const image = sharp(body, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient()
    const { width, height } = (await image.metadata()).autoOrient
    const side = Math.max(width, height)
    if (side > MAX_IMAGE_SIDE) return null
    const scale = Math.min(1, MAX_SIDE / side)
    const [across = 1, down = 1] = [width, height].map((length) => Math.max(1, Math.round(length * scale)))
    // A side of less than a pixel becomes one; the other does not grow with it.
    const resized = image.flatten({ background: '#fff' }).grayscale().resize(across, down, { fit: 'fill' })
    return toGray(await resized.raw().toBuffer({ resolveWithObject: true }))
  } catch {
    return null
  }
}

/** An image in another size. */
export async function resizeImage(image: GrayImage, scale: number): Promise<GrayImage> {
  const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(side * scale)))
  const resized = toSharp(image).resize(width, height, { fit: 'fill', kernel: 'cubic' })
  return toGray(await resized.grayscale().raw().toBuffer({ resolveWithObject: true }))
}

/** An image turned clockwise, with white corners. @param degrees any */
export async function turnImage(image: GrayImage, degrees: number): Promise<GrayImage> {
  const turned = toSharp(image).rotate(degrees, { background: '#fff' })
  return toGray(await turned.grayscale().raw().toBuffer({ resolveWithObject: true }))
}

export async function writePng(image: GrayImage): Promise<Buffer> {
  return await toSharp(image).grayscale().png({ compressionLevel: 1 }).toBuffer()
}

function toSharp({ pixels, width, height }: GrayImage) {
  return sharp(pixels, { raw: { width, height, channels: 1 } })
}

function toGray({ data, info }: { readonly data: Buffer; readonly info: OutputInfo }): GrayImage {
  const { width, height, channels } = info
  if (channels === 1) return { pixels: data, width, height }
  return { pixels: data.filter((_, at) => at % channels === 0), width, height }
}
