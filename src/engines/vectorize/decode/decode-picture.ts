import sharp, { type Sharp } from 'sharp'
import type { Bitmap } from '../picture.ts'
import { decodeBmp } from './bmp.ts'
import type { PictureKind } from './picture-kind.ts'
import { MAX_PIXELS, Undecodable } from './undecodable.ts'

/** The libvips loaders that may process untrusted bytes. */
const LOADERS = ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif']

export type DecodedPicture = {
  /** The image, scaled down if it exceeds the requested number of pixels. */
  readonly bitmap: Bitmap
  /** Size of the original image, upright. */
  readonly width: number
  readonly height: number
}

/** Disables all other libvips loaders; call it in the decoding process before decoding. */
export function restrictLoaders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  sharp.cache(false)
  sharp.concurrency(1)
}

/**
 * Decodes the first frame of an image, upright and in sRGB.
 * @param maxPixels a larger image is scaled down to this
 * @throws Undecodable
 */
export async function decodePicture(
  bytes: Uint8Array,
  kind: PictureKind,
  maxPixels: number,
): Promise<DecodedPicture> {
  const opened =
    kind === 'bmp'
      ? openBitmap(decodeBmp(bytes))
      : sharp(bytes, { limitInputPixels: MAX_PIXELS, pages: 1, failOn: 'error' })
  try {
    const metadata = await opened.metadata()
    if (kind !== 'bmp' && !matches(metadata.format, kind))
      throw new Undecodable('the content of the image does not match the type of its first bytes')
    const { width, height } = metadata.autoOrient
    return { bitmap: await toBitmap(opened, width, height, maxPixels), width, height }
  } catch (error) {
    if (error instanceof Undecodable) throw error
    const isTooLarge = error instanceof Error && /pixel limit/i.test(error.message)
    const reason = isTooLarge
      ? `the image has too many pixels (limit ${MAX_PIXELS})`
      : `the ${kind.toUpperCase()} is corrupt`
    throw new Undecodable(reason, { cause: error })
  }
}

function openBitmap({ width, height, rgba }: Bitmap): Sharp {
  return sharp(rgba, { raw: { width, height, channels: 4 }, limitInputPixels: MAX_PIXELS })
}

function matches(format: string | undefined, kind: PictureKind): boolean {
  return format === kind
}

async function toBitmap(opened: Sharp, width: number, height: number, maxPixels: number): Promise<Bitmap> {
  const shrink = Math.min(1, Math.sqrt(maxPixels / (width * height)))
  const upright = opened.autoOrient().toColourspace('srgb')
  const sized =
    shrink < 1
      ? upright.resize({
          width: Math.max(1, Math.round(width * shrink)),
          height: Math.max(1, Math.round(height * shrink)),
          fit: 'fill',
          // Lanczos would produce ringing at edges.
          kernel: 'mitchell',
        })
      : upright
  const { data, info } = await sized
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== 4) throw new Undecodable('the image has an unsupported number of channels')
  return { width: info.width, height: info.height, rgba: new Uint8Array(data) }
}
