import { encodeQR } from 'qr'

export type EccLevel = 'L' | 'M' | 'Q' | 'H'

/** A QR symbol without its quiet zone. */
export type QrMatrix = {
  /** 1 to 40. */
  readonly version: number
  /** Modules per side: 17 + 4 * version. */
  readonly modules: number
  /** Rows from the top; true is dark. */
  readonly rows: readonly (readonly boolean[])[]
}

/** What to encode, and how. */
export type QrContent = { readonly text: string; readonly ecc: EccLevel }

const LEVEL_NAMES = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const

/** Capacity of version 40 for each kind of text (ISO/IEC 18004, table 7). */
const CAPACITY = {
  L: { digits: 7089, letters: 4296, bytes: 2953 },
  M: { digits: 5596, letters: 3391, bytes: 2331 },
  Q: { digits: 3993, letters: 2420, bytes: 1663 },
  H: { digits: 3057, letters: 1852, bytes: 1273 },
} as const

/** Why a text fits in no QR code of this level, worded to follow its name (`has …`); null if it fits. */
export function findOverflow({ text, ecc }: QrContent): string | null {
  const kind = kindOf(text)
  const length = kind === 'bytes' ? Buffer.byteLength(text) : text.length
  const max = CAPACITY[ecc]
  if (length <= max[kind]) return null
  const kinds = `${max.bytes} bytes of UTF-8, ${max.letters} characters of 0-9 A-Z space $%*+-./: or ${max.digits} digits`
  return `has ${length} ${kind}, but a QR code with ecc ${ecc} holds at most ${kinds}`
}

/**
 * Encodes a text in the smallest version that holds it, as digits, letters or UTF-8 bytes.
 * @throws RangeError if `findOverflow` returns a reason.
 */
export function buildQrMatrix(content: QrContent): QrMatrix {
  return encode(content)
}

/** Modules per side, in half the time of building the matrix. */
export function countModules(content: QrContent): number {
  // Every mask has the same size; choosing the best one takes most of the time.
  return encode(content, 0).modules
}

/** The densest of the three encodings that can represent the text; `letters` are the 45 characters of the standard. */
function kindOf(text: string): 'digits' | 'letters' | 'bytes' {
  if (/^\d+$/.test(text)) return 'digits'
  return /^[0-9A-Z $%*+\-./:]+$/.test(text) ? 'letters' : 'bytes'
}

function encode(content: QrContent, mask?: number): QrMatrix {
  const overflow = findOverflow(content)
  if (overflow) throw new RangeError(`the text ${overflow}`)
  const ecc = LEVEL_NAMES[content.ecc]
  // The encoder requires a border, which is removed again: the renderers add the quiet zone.
  const bordered = encodeQR(content.text, 'raw', { ecc, border: 1, ...(mask !== undefined && { mask }) })
  const rows = bordered.slice(1, -1).map((row) => row.slice(1, -1))
  return { version: (rows.length - 17) / 4, modules: rows.length, rows }
}
