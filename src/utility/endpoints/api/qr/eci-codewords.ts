import {
  _tests,
  _ECC_BLOCKS as BLOCKS,
  _BYTES as CODEWORDS,
  type ErrorCorrection,
  _GF256 as GALOIS,
  _WORDS_PER_BLOCK as PARITY_WORDS,
} from 'qr'

/** ISO/IEC 18004:2024 section 7.4.3: the mode of an extended channel interpretation, then number 26, UTF-8. */
const ECI_UTF8 = { value: (0b0111 << 8) | 26, bits: 12 }
const BYTE_MODE = { value: 0b0100, bits: 4 }
const PADDING = [0xec, 0x11]

/** Bits before the data: the interpretation, the mode, and the byte count (one or two bytes by version). */
export const headerBits = (version: number) => ECI_UTF8.bits + BYTE_MODE.bits + (version < 10 ? 8 : 16)

/** The smallest version that holds this many bytes after the interpretation header, or null. */
export function findEciVersion(sizeBytes: number, ecc: ErrorCorrection): number | null {
  for (let version = 1; version <= 40; version++)
    if (headerBits(version) + 8 * sizeBytes <= 8 * dataWordsOf(version, ecc)) return version
  return null
}

/** The codewords of a symbol whose bytes are marked as UTF-8, including error correction, in drawing order. */
export function encodeEci(bytes: Uint8Array, version: number, ecc: ErrorCorrection): Uint8Array {
  const data = writeData(bytes, version, dataWordsOf(version, ecc))
  const count = tableAt(BLOCKS[ecc], version)
  const parityWords = tableAt(PARITY_WORDS[ecc], version)
  const shortLength = Math.floor(data.length / count)
  const shortBlocks = count - (data.length % count)
  const generator = generatorOf(parityWords)
  const blocks: Uint8Array[] = []
  for (let at = 0, block = 0; block < count; block++) {
    const length = shortLength + (block < shortBlocks ? 0 : 1)
    blocks.push(data.subarray(at, at + length))
    at += length
  }
  const parities = blocks.map((block) => _tests.rsEcc(block, generator))
  return Uint8Array.from([...interleave(blocks), ...interleave(parities)])
}

function dataWordsOf(version: number, ecc: ErrorCorrection): number {
  return tableAt(CODEWORDS, version) - tableAt(PARITY_WORDS[ecc], version) * tableAt(BLOCKS[ecc], version)
}

function tableAt(table: readonly number[], version: number): number {
  const value = table[version - 1]
  if (value === undefined) throw new RangeError(`unknown version ${version}`)
  return value
}

/** Header, bytes, the terminator of up to four zeros, and padding (section 7.4.10). */
function writeData(bytes: Uint8Array, version: number, words: number): Uint8Array {
  const data = new Uint8Array(words)
  let position = 0
  const push = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit--, position++)
      if ((value >> bit) & 1) data[position >> 3] = (data[position >> 3] ?? 0) | (0x80 >> (position & 7))
  }
  push(ECI_UTF8.value, ECI_UTF8.bits)
  push(BYTE_MODE.value, BYTE_MODE.bits)
  push(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) push(byte, 8)
  if (position > 8 * words) throw new RangeError(`version ${version} cannot hold ${bytes.length} bytes`)
  const written = Math.ceil(Math.min(position + 4, 8 * words) / 8)
  for (let at = written; at < words; at++) data[at] = PADDING[(at - written) % 2] ?? 0
  return data
}

/** The generator polynomial for this many parity words, without its leading 1 (annex A). */
function generatorOf(words: number): Uint8Array {
  const { exp, log } = GALOIS
  const multiply = (a: number, b: number) =>
    a === 0 || b === 0 ? 0 : (exp[(log[a] ?? 0) + (log[b] ?? 0)] ?? 0)
  let polynomial = [1]
  for (let root = 0; root < words; root++) {
    const next = [...polynomial, 0]
    for (const [at, coefficient] of polynomial.entries())
      next[at + 1] = (next[at + 1] ?? 0) ^ multiply(coefficient, exp[root] ?? 0)
    polynomial = next
  }
  return Uint8Array.from(polynomial.slice(1))
}

/** Interleaves the blocks: the first word of each, the second of each, and so on; shorter blocks end earlier. */
function interleave(blocks: readonly Uint8Array[]): number[] {
  const longest = Math.max(...blocks.map(({ length }) => length))
  const words: number[] = []
  for (let at = 0; at < longest; at++)
    for (const block of blocks) {
      const word = block[at]
      if (word !== undefined) words.push(word)
    }
  return words
}
