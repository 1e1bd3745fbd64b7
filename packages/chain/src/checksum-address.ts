import type { Address } from './hex.ts'
import { keccak } from './keccak.ts'

/** Of a hex digit: from here on a letter is a capital. */
const CAPITAL = 8

/** An address with the capitals of its checksum (https://eips.ethereum.org/EIPS/eip-55). */
export function toChecksumAddress(address: Address): Address {
  const digits = address.slice(2).toLowerCase()
  const hash = keccak(Buffer.from(digits, 'latin1'))
  let text = ''
  for (let at = 0; at < digits.length; at++) {
    const byte = hash[at >> 1] ?? 0
    const digit = digits.charAt(at)
    text += (at % 2 === 0 ? byte >> 4 : byte & 15) < CAPITAL ? digit : digit.toUpperCase()
  }
  return `0x${text}`
}
