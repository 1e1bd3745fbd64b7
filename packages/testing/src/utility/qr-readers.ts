import type { EccLevel, QrContent, QrMatrix } from '@tollbook/utility/endpoints/api/qr/qr-matrix'
import zxing from '@zxing/library'
import jsqr from 'jsqr'
import decodeQr from 'qr/decode.js'

/** Pixels in rows from the top, four bytes each. */
export type Image = { readonly rgba: Uint8ClampedArray; readonly width: number; readonly height: number }

export const LEVELS = ['L', 'M', 'Q', 'H'] as const
/** Digits, the 45 characters of the standard, bytes of ASCII, and those of UTF-8 beyond it. */
export const MODES = ['digits', 'letters', 'bytes', 'utf8'] as const
export type QrMode = (typeof MODES)[number]

/** Codewords for data of versions 1 to 40 (ISO/IEC 18004, table 7). */
const DATA_WORDS = {
  L: '19 34 55 80 108 136 156 194 232 274 324 370 428 461 523 589 647 721 795 861 932 1006 1094 1174 1276 1370 1468 1531 1631 1735 1843 1955 2071 2191 2306 2434 2566 2702 2812 2956',
  M: '16 28 44 64 86 108 124 154 182 216 254 290 334 365 415 453 507 563 627 669 714 782 860 914 1000 1062 1128 1193 1267 1373 1455 1541 1631 1725 1812 1914 1992 2102 2216 2334',
  Q: '13 22 34 48 62 76 88 110 132 154 180 206 244 261 295 325 367 397 445 485 512 568 614 664 718 754 808 871 911 985 1033 1115 1171 1231 1286 1354 1426 1502 1582 1666',
  H: '9 16 26 36 46 60 66 86 100 122 140 158 180 197 223 253 283 313 341 385 406 442 464 514 538 596 628 661 701 745 793 845 901 961 986 1054 1096 1142 1222 1276',
} as const
const ALPHABETS = {
  digits: '0123456789',
  letters: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:',
  bytes: 'abcdefghijklmnopqrstuvwxyz0123456789-_~?=&',
  utf8: 'éüñ¿ßЖ世',
} as const
/** Bits of the character count, in versions 1 to 9, 10 to 26 and 27 to 40 (ISO/IEC 18004, table 3). */
const LENGTH_BITS = {
  digits: [10, 12, 14],
  letters: [9, 11, 13],
  bytes: [8, 16, 16],
  utf8: [8, 16, 16],
} as const
/** Bits of this many characters; of texts beyond ASCII, the bytes are counted. */
const GROUPS = { digits: [10, 3], letters: [11, 2], bytes: [8, 1], utf8: [8, 1] } as const

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
  const dataBits = 8 * Number(DATA_WORDS[ecc].split(' ')[version - 1])
  const header = 4 + (LENGTH_BITS[mode][Math.floor((version + 7) / 17)] ?? 0)
  const [bits, characters] = GROUPS[mode]
  const length = Math.floor((dataBits - header) / bits) * characters
  const text = scatter(length, ALPHABETS[mode])
  return { text: mode === 'utf8' ? cutBytes(text, length) : text, ecc }
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
