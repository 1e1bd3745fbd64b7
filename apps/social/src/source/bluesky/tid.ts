/** The alphabet of TIDs, ordered by value (https://atproto.com/specs/tid). */
const DIGITS = '234567abcdefghijklmnopqrstuvwxyz'
/** 13 digits of 5 bits are 65 bits; the first two bits are always 0. */
const TID = /^[234567abcdefghij][234567a-z]{12}$/
const BITS = 5n
const MAX = 2n ** 63n - 1n

/**
 * The number of a record key in TID format, in decimal: microseconds since 1970 and ten random bits. Null for any
 * other key, and for one whose highest bit is not 0 as required.
 * @example tidToNumber('3jzfcijpj2z2a') // '1728652679052295174'
 */
export function tidToNumber(key: string): string | null {
  if (!TID.test(key)) return null
  const number = [...key].reduce((sum, digit) => (sum << BITS) | BigInt(DIGITS.indexOf(digit)), 0n)
  return number > MAX ? null : String(number)
}
