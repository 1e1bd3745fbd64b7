import type { ImageKind } from '@tollbook/flow/image-kind'
import { decode } from 'bmp-ts'
import sharp, { type Sharp } from 'sharp'
import type { Bitmap } from '../image.ts'

/** The libvips loaders that may process untrusted bytes. */
const LOADERS = ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif']

export type DecodedImage = {
  /** The image, scaled down if it exceeds the requested number of pixels. */
  readonly bitmap: Bitmap
  /** Size of the original image, upright. */
  readonly width: number
  readonly height: number
}

/** Header sizes of BITMAPINFOHEADER, its V2 and V3 extensions, BITMAPV4HEADER and BITMAPV5HEADER. */
const HEADER_SIZES = [40, 52, 56, 108, 124]
const FILE_HEADER_BYTES = 14
const UNCOMPRESSED = 0
const BIT_FIELDS = 3
const ALPHA_BIT_FIELDS = 6
/** Bit depths allowed per compression type; run-length encoding is not supported. */
const BITS: Readonly<Record<number, readonly number[]>> = {
  [UNCOMPRESSED]: [1, 4, 8, 16, 24, 32],
  [BIT_FIELDS]: [16, 32],
  [ALPHA_BIT_FIELDS]: [16, 32],
}

/**
 * Thrown for an image that is corrupt, too large once decoded, or of an unsupported format; the message is
 * for the caller.
 */
export class Undecodable extends Error {
  override name = 'Undecodable'
}

/** Maximum number of pixels of an image; decoding holds several copies of 4 bytes per pixel. */
const MAX_PIXELS = 40_000_000
/** Longest side of a JPEG or GIF; a PNG of one column may have millions of rows, each of which takes time. */
export const MAX_IMAGE_SIDE = 65_535

/** Disables all other libvips loaders; call it in the decoding process before decoding. */
export function restrictLoaders({ more = [] }: { readonly more?: readonly string[] } = {}): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: [...LOADERS, ...more] })
  sharp.cache(false)
  sharp.concurrency(1)
}

/**
 * Decodes the first frame of an image, upright and in sRGB.
 * @param maxPixels a larger image is scaled down to this
 * @throws Undecodable
 */
export async function decodeImage(
  bytes: Uint8Array,
  kind: ImageKind,
  maxPixels: number,
): Promise<DecodedImage> {
  const opened =
    kind === 'bmp'
      ? openBitmap(decodeBmp(bytes))
      : sharp(bytes, { limitInputPixels: MAX_PIXELS, pages: 1, failOn: 'error' })
  try {
    const metadata = await opened.metadata()
    if (kind !== 'bmp' && !matches(metadata.format, kind))
      throw new Undecodable('the content of the image does not match the type of its first bytes')
    const { width, height } = metadata.autoOrient
    if (Math.max(width, height) > MAX_IMAGE_SIDE)
      throw new Undecodable(`the image is too long (limit ${MAX_IMAGE_SIDE} pixels)`)
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

function matches(format: string | undefined, kind: ImageKind): boolean {
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

/**
 * Decodes a BMP after checking that the file is as long as its header declares.
 * @see https://learn.microsoft.com/en-us/windows/win32/gdi/bitmap-storage
 * @throws Undecodable
 */
function decodeBmp(bytes: Uint8Array): Bitmap {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { width, height, bits } = checkHeader(file)
  let decoded: ReturnType<typeof decode>
  try {
    decoded = decode(file, { toRGBA: true })
  } catch (error) {
    throw new Undecodable('the BMP is corrupt', { cause: error })
  }
  const rgba = new Uint8Array(decoded.data)
  if (rgba.length !== width * height * 4) throw new Undecodable('the BMP is corrupt')
  // Alpha was added to the format later: a file whose alpha is zero everywhere is opaque.
  const isBlank = !rgba.some((value, at) => at % 4 === 3 && value !== 0)
  if (bits < 32 || isBlank) for (let at = 3; at < rgba.length; at += 4) rgba[at] = 255
  return { width, height, rgba }
}

function checkHeader(file: Buffer) {
  if (file.length < FILE_HEADER_BYTES + 40) throw new Undecodable('the BMP header is truncated')
  const offset = file.readUInt32LE(10)
  const headerSize = file.readUInt32LE(14)
  const width = file.readInt32LE(18)
  const height = Math.abs(file.readInt32LE(22))
  const bits = file.readUInt16LE(28)
  const compression = file.readUInt32LE(30)
  const colours = file.readUInt32LE(46)
  if (!HEADER_SIZES.includes(headerSize)) throw new Undecodable('unsupported version of the BMP header')
  if (!BITS[compression]?.includes(bits))
    throw new Undecodable(
      'unsupported compression or bit depth of the BMP (only uncompressed BMP files are supported)',
    )
  if (width < 1 || height < 1) throw new Undecodable('the BMP has no pixels')
  if (width * height > MAX_PIXELS)
    throw new Undecodable(`the image has too many pixels (limit ${MAX_PIXELS})`)
  const tableBytes = bits <= 8 || colours > 0 ? 4 * (colours === 0 ? 2 ** bits : colours) : 0
  if (colours > 256) throw new Undecodable('the colour table of the BMP is too long')
  const rowBytes = Math.ceil((width * bits) / 32) * 4
  const first = FILE_HEADER_BYTES + headerSize + tableBytes
  if (
    offset < Math.min(first, FILE_HEADER_BYTES + headerSize) ||
    offset + rowBytes * height > file.length ||
    first > file.length
  )
    throw new Undecodable('the BMP is shorter than its header declares')
  return { width, height, bits }
}
