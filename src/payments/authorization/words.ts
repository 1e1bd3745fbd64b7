/** A word of the ABI: hex digits of an address or of bytes32 (`0x` included), or an unsigned integer. */
export type Word = string | bigint | number

/** Words of 32 bytes, big-endian, left-padded, as hex digits without `0x`. */
export function encodeWords(words: readonly Word[]): string {
  let hex = ''
  for (const word of words)
    hex += (typeof word === 'string' ? word.slice(2) : word.toString(16)).padStart(64, '0')
  return hex
}
