/** The alphabet of TIDs, in the order of its values (https://atproto.com/specs/tid). */
const DIGITS = '234567abcdefghijklmnopqrstuvwxyz'
/** 13 digits of 5 bits hold 65; the first two of them are always 0. */
const TID = /^[234567abcdefghij][234567a-z]{12}$/
const BITS = 5n
const MAX = 2n ** 63n - 1n

/**
 * The number that a record key of the form TID stands for, in decimal: microseconds since 1970 and ten bits of chance.
 * Null for any other key, and for one whose highest bit is not 0 as it should be.
 * @example tidToNumber('3jzfcijpj2z2a') // '1728652679052295174'
 */
export function tidToNumber(key: string): string | null {
  if (!TID.test(key)) return null
  const number = [...key].reduce((sum, digit) => (sum << BITS) | BigInt(DIGITS.indexOf(digit)), 0n)
  return number > MAX ? null : String(number)
}
