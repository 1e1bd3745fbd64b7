import sharp, { type Sharp } from 'sharp'
import type { Bitmap } from '../picture.ts'
import { decodeBmp } from './bmp.ts'
import type { PictureKind } from './picture-kind.ts'
import { MAX_PIXELS, Undecodable } from './undecodable.ts'

/** The loaders of libvips that may see bytes from outside. */
const LOADERS = ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif']

export type DecodedPicture = {
  /** The picture, made smaller where it has more pixels than asked for. */
  readonly bitmap: Bitmap
  /** Of the picture as it came, upright. */
  readonly width: number
  readonly height: number
}

/** Leaves only what pictures of the known kinds need; for the process that decodes, before it does. */
export function restrictLoaders(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  sharp.cache(false)
  sharp.concurrency(1)
}

/**
 * Reads a picture, its first frame, upright and in sRGB.
 * @param maxPixels to which a larger picture is reduced
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
      throw new Undecodable('the picture is not of the kind it begins as')
    const { width, height } = metadata.autoOrient
    return { bitmap: await toBitmap(opened, width, height, maxPixels), width, height }
  } catch (error) {
    if (error instanceof Undecodable) throw error
    const isTooLarge = error instanceof Error && /pixel limit/i.test(error.message)
    const reason = isTooLarge
      ? `the picture has more than ${MAX_PIXELS} pixels`
      : `the ${kind.toUpperCase()} is broken`
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
          // Lanczos would draw rings around borders.
          kernel: 'mitchell',
        })
      : upright
  const { data, info } = await sized
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== 4) throw new Undecodable('the picture has an unknown number of channels')
  return { width: info.width, height: info.height, rgba: new Uint8Array(data) }
}
