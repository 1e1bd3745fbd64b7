import sharp from 'sharp'
import { findPictureKind } from '../../engines/vectorize/decode/picture-kind.ts'
import type { ImageSize } from './image-maker.ts'

/** Longest side of a picture that is taken and given. */
const MAX_SIDE = 4096

export type FinishedImage = ImageSize & { readonly png: Uint8Array }

/** Why an upstream's picture is not taken; never for its words. */
export type Unfinished = { readonly refusal: string }

/**
 * The job that makes an answer of what an upstream sent: PNG, in sRGB, without metadata, which may hold the operator's
 * workflow, and cut to the aspect that was asked for where the upstream cannot make it.
 */
export async function finishImage(given: {
  readonly bytes: Uint8Array
  readonly aspect: ImageSize
}): Promise<FinishedImage | Unfinished> {
  const { bytes, aspect } = given
  // Only these loaders may see it; those of documents, such as SVG, would read what it names.
  const kind = findPictureKind(bytes)
  if (kind !== 'png' && kind !== 'jpeg' && kind !== 'webp') return { refusal: 'is of another kind' }
  const options = { limitInputPixels: MAX_SIDE * MAX_SIDE, pages: 1, failOn: 'error' } as const
  try {
    const picture = sharp(bytes, options)
    const { format, autoOrient: upright } = await picture.metadata()
    if (format !== kind) return { refusal: 'is of another kind' }
    if (Math.max(upright.width, upright.height) > MAX_SIDE) return { refusal: 'is too large' }
    const { data, info } = await picture
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

/** The largest size of exactly this aspect, in its lowest terms, within another; such as 1536 x 1024 for 3:2. */
export function cutToAspect({ width, height }: ImageSize, aspect: ImageSize): ImageSize {
  const divisor = greatestDivisor(aspect.width, aspect.height)
  const [across, down] = [aspect.width / divisor, aspect.height / divisor]
  const times = Math.max(1, Math.min(Math.floor(width / across), Math.floor(height / down)))
  return { width: times * across, height: times * down }
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other)
}
