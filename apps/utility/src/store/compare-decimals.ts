/** A decimal number in JSON notation (RFC 8259 section 6). */
const DECIMAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
/** No realistic number has a longer exponent, and parsing it would take time. */
const MAX_EXPONENT_LENGTH = 30

type Decimal = {
  /** -1, 0 or 1. */
  readonly sign: number
  /** Without zeros at either end. */
  readonly digits: string
  /** The power of ten above the first digit: 12 is 0.12 times ten to the second. */
  readonly magnitude: bigint
}

/**
 * Compares two decimal numbers by their exact values, whatever their length.
 * @returns -1, 0 or 1; null if one of the texts is not a JSON number.
 */
export function compareDecimals(one: string, other: string): number | null {
  const [a, b] = [parseDecimal(one), parseDecimal(other)]
  if (!a || !b) return null
  if (a.sign !== b.sign) return a.sign < b.sign ? -1 : 1
  if (a.magnitude !== b.magnitude) return a.magnitude < b.magnitude ? -a.sign : a.sign
  // Without outer zeros and with equal magnitude, digits compare like strings.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -a.sign : a.sign
}

function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text)
  if (!match) return null
  const [, minus = '', whole = '', fraction = '', exponent = '0'] = match
  if (exponent.length > MAX_EXPONENT_LENGTH) return null
  const written = `${whole}${fraction}`
  const leading = written.length - written.replace(/^0+/, '').length
  const digits = withoutTrailingZeros(written.slice(leading))
  if (digits === '') return { sign: 0, digits, magnitude: 0n }
  const magnitude = BigInt(exponent) + BigInt(whole.length - leading)
  return { sign: minus === '' ? 1 : -1, digits, magnitude }
}

/** A loop, since a pattern for trailing zeros would scan each run of zeros repeatedly. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
