import zxing from '@zxing/library'
import jsqr from 'jsqr'
import { _ECC_BLOCKS as BLOCKS, _BYTES as CODEWORDS, _WORDS_PER_BLOCK as PARITY_WORDS } from 'qr'
import decodeQr from 'qr/decode.js'
import type { EccLevel, QrContent, QrMatrix } from '../../src/utility/endpoints/api/qr/qr-matrix.ts'

/** Pixels in rows from the top, four bytes each. */
export type Image = { readonly rgba: Uint8ClampedArray; readonly width: number; readonly height: number }

export const LEVELS = ['L', 'M', 'Q', 'H'] as const
/** Digits, the 45 characters of the standard, bytes of ASCII, and bytes that are marked as UTF-8. */
export const MODES = ['digits', 'letters', 'bytes', 'eci'] as const
export type QrMode = (typeof MODES)[number]

const LEVEL_NAMES = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const
const ALPHABETS = {
  digits: '0123456789',
  letters: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:',
  bytes: 'abcdefghijklmnopqrstuvwxyz0123456789-_~?=&',
  eci: 'éüñ¿ßЖ世',
} as const
/** Bits of the character count, in versions 1 to 9, 10 to 26 and 27 to 40 (ISO/IEC 18004, table 3). */
const LENGTH_BITS = {
  digits: [10, 12, 14],
  letters: [9, 11, 13],
  bytes: [8, 16, 16],
  eci: [8, 16, 16],
} as const
/** Bits of this many characters; for the ECI alphabet, the bytes of the texts are counted. */
const GROUPS = { digits: [10, 3], letters: [11, 2], bytes: [8, 1], eci: [8, 1] } as const

// The package is CommonJS: its function is the namespace's default.
const readQr = jsqr as unknown as typeof jsqr.default

/** The text that jsQR reads, or undefined. */
export function readByJsqr({ rgba, width, height }: Image): string | undefined {
  return readQr(rgba, width, height, { inversionAttempts: 'dontInvert' })?.data
}

/** The text that ZXing reads. @throws its own errors if it reads none. */
export function readByZxing({ rgba, width, height }: Image): string {
  const grey = new Uint8ClampedArray(width * height).map((_, at) => rgba[4 * at] ?? 0)
  const source = new zxing.RGBLuminanceSource(grey, width, height)
  const bitmap = new zxing.BinaryBitmap(new zxing.GlobalHistogramBinarizer(source))
  const hints = new Map<zxing.DecodeHintType, boolean>([[zxing.DecodeHintType.PURE_BARCODE, true]])
  return new zxing.QRCodeReader().decode(bitmap, hints).getText()
}

/** The text that the decoder of the package `qr` reads. @throws its own errors if it reads none. */
export function readByQr({ rgba, width, height }: Image): string {
  return decodeQr({ data: rgba, width, height })
}

/** A symbol as an image with a quiet zone of four modules. */
export function drawMatrix({ rows, modules }: QrMatrix, scale: number): Image {
  const width = (modules + 8) * scale
  const rgba = new Uint8ClampedArray(4 * width * width).fill(255)
  for (let y = 0; y < modules * scale; y++)
    for (let x = 0; x < modules * scale; x++) {
      if (!rows[Math.floor(y / scale)]?.[Math.floor(x / scale)]) continue
      rgba.set([0, 0, 0], 4 * ((y + 4 * scale) * width + x + 4 * scale))
    }
  return { rgba, width, height: width }
}

/** Text without a pattern that would make a symbol easier to read than others. */
export function scatter(length: number, alphabet: string): string {
  // A linear congruential generator with the constants of Numerical Recipes.
  let state = length
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return [...alphabet][Math.floor((state / 2 ** 32) * [...alphabet].length)]
  }).join('')
}

/** The maximum text, or nearly so, of a version at a level in a mode. */
export function fillVersion(version: number, ecc: EccLevel, mode: QrMode): QrContent {
  const level = LEVEL_NAMES[ecc]
  const at = version - 1
  const parity = (PARITY_WORDS[level][at] ?? 0) * (BLOCKS[level][at] ?? 0)
  const dataBits = 8 * ((CODEWORDS[at] ?? 0) - parity)
  const header = (mode === 'eci' ? 16 : 4) + (LENGTH_BITS[mode][Math.floor((version + 7) / 17)] ?? 0)
  const [bits, characters] = GROUPS[mode]
  const length = Math.floor((dataBits - header) / bits) * characters
  const text = scatter(length, ALPHABETS[mode])
  return { text: mode === 'eci' ? cutBytes(text, length) : text, ecc, eci: true }
}

/** The beginning of a text with exactly these bytes of UTF-8, padded with points. */
function cutBytes(text: string, sizeBytes: number): string {
  let cut = ''
  let left = sizeBytes
  for (const character of text) {
    const size = Buffer.byteLength(character)
    if (size > left) break
    cut += character
    left -= size
  }
  return cut + '.'.repeat(left)
}
