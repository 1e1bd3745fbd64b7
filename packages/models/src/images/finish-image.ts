import { findImageKind } from '@tollbook/flow/image-kind'
import sharp from 'sharp'
import type { ImageSize } from './image-maker.ts'

/** Maximum side of an image from the upstream, and of the answer. */
const MAX_SIDE = 4096

export type FinishedImage = ImageSize & { readonly png: Uint8Array }

/** Why an upstream's image is rejected; never text from the upstream. */
export type Unfinished = { readonly refusal: string }

/**
 * Job that turns the upstream's image into the answer: PNG, in sRGB, without metadata, which may hold the
 * operator's workflow, and cropped to the requested aspect ratio if the upstream does not support it.
 */
export async function finishImage(provided: {
  readonly bytes: Uint8Array
  readonly aspect: ImageSize
}): Promise<FinishedImage | Unfinished> {
  const { bytes, aspect } = provided
  // Only these loaders may parse it; loaders of documents, such as SVG, would load referenced resources.
  const kind = findImageKind(bytes)
  if (kind !== 'png' && kind !== 'jpeg' && kind !== 'webp') return { refusal: 'has an unsupported type' }
  const options = { limitInputPixels: MAX_SIDE * MAX_SIDE, pages: 1, failOn: 'error' } as const
  try {
    const image = sharp(bytes, options)
    const { format, autoOrient: upright } = await image.metadata()
    if (format !== kind) return { refusal: 'has an unsupported type' }
    if (Math.max(upright.width, upright.height) > MAX_SIDE) return { refusal: 'is too large' }
    const { data, info } = await image
      .autoOrient()
      .toColourspace('srgb')
      .resize({ ...cutToAspect(upright, aspect), fit: 'cover' })
      .png({ compressionLevel: 6 })
      .toBuffer({ resolveWithObject: true })
    return { png: new Uint8Array(data), width: info.width, height: info.height }
  } catch {
    return { refusal: 'cannot be read' }
  }
}

/** The largest size of exactly this aspect ratio, in lowest terms, within another; such as 1536 x 1024 for 3:2. */
export function cutToAspect({ width, height }: ImageSize, aspect: ImageSize): ImageSize {
  const divisor = greatestDivisor(aspect.width, aspect.height)
  const [across, down] = [aspect.width / divisor, aspect.height / divisor]
  const times = Math.max(1, Math.min(Math.floor(width / across), Math.floor(height / down)))
  return { width: times * across, height: times * down }
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other)
}
