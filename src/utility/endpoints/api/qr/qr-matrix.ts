import { encodeQR } from 'qr'

export type EccLevel = 'L' | 'M' | 'Q' | 'H'

/** A QR symbol without its quiet zone. */
export type QrMatrix = {
  /** 1 to 40. */
  readonly version: number
  /** Modules along one side: 17 + 4 * version. */
  readonly modules: number
  /** Rows from the top; true is dark. */
  readonly rows: readonly (readonly boolean[])[]
}

const LEVEL_NAMES = { L: 'low', M: 'medium', Q: 'quartile', H: 'high' } as const

/** What version 40 holds of each kind of text (ISO/IEC 18004, table 7). */
const CAPACITY = {
  L: { digits: 7089, letters: 4296, bytes: 2953 },
  M: { digits: 5596, letters: 3391, bytes: 2331 },
  Q: { digits: 3993, letters: 2420, bytes: 1663 },
  H: { digits: 3057, letters: 1852, bytes: 1273 },
} as const

/** Why a text fits in no QR code of this level, or null when it fits. */
export function findOverflow(text: string, ecc: EccLevel): string | null {
  const kind = kindOf(text)
  const length = kind === 'bytes' ? Buffer.byteLength(text) : text.length
  const most = CAPACITY[ecc]
  if (length <= most[kind]) return null
  const kinds = `${most.bytes} bytes of UTF-8, ${most.letters} characters of 0-9 A-Z space $%*+-./: or ${most.digits} digits`
  return `data has ${length} ${kind}, and a QR code with ecc ${ecc} holds at most ${kinds}`
}

/**
 * Encodes a text in the smallest version that holds it, as digits, letters or UTF-8 bytes. No ECI header is
 * written: readers take bytes for UTF-8, and some refuse ECI.
 * @throws RangeError when `findOverflow` names a reason.
 */
export function buildQrMatrix(text: string, ecc: EccLevel): QrMatrix {
  return encode(text, ecc)
}

/** Modules along one side, in half the time of building the matrix. */
export function countModules(text: string, ecc: EccLevel): number {
  // Any mask gives the same size; choosing the best one is what takes long.
  return encode(text, ecc, 0).modules
}

/** The densest of the three encodings that can hold the text; `letters` are the 45 characters of the standard. */
function kindOf(text: string): 'digits' | 'letters' | 'bytes' {
  if (/^\d+$/.test(text)) return 'digits'
  return /^[0-9A-Z $%*+\-./:]+$/.test(text) ? 'letters' : 'bytes'
}

function encode(text: string, ecc: EccLevel, mask?: number): QrMatrix {
  const overflow = findOverflow(text, ecc)
  if (overflow) throw new RangeError(overflow)
  // The encoder insists on a border, which is cut off again: the quiet zone is the renderers' matter.
  const bordered = encodeQR(text, 'raw', {
    ecc: LEVEL_NAMES[ecc],
    border: 1,
    ...(mask !== undefined && { mask }),
  })
  const rows = bordered.slice(1, -1).map((row) => row.slice(1, -1))
  return { version: (rows.length - 17) / 4, modules: rows.length, rows }
}
