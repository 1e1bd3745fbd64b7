declare const rawNumber: unique symbol

/** A number of a JSON text that a double cannot represent; `JSON.stringify` writes it as it was written. */
export type RawNumber = { readonly rawJSON: string; readonly [rawNumber]: true }

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** What ECMAScript's JSON has that TypeScript's types lack (tc39.es/proposal-json-parse-with-source). */
const SOURCED = JSON as unknown as {
  parse(text: string, reviver?: Reviver): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

/**
 * Matches every number that loses digits, overflows or underflows as a double: 16 digits and points in a row,
 * or an exponent of three digits. Parts of strings may match too, which only costs time.
 */
const LONG_NUMBER = /(?:^|[[:,\s])-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/
/** A double distinguishes all decimal numbers of up to this many significant digits (DBL_DIG). */
const SAFE_DIGITS = 15

/**
 * Parses JSON with numbers that a double would change as `RawNumber`. @throws SyntaxError
 * @param visit replaces every other value, as the reviver of `JSON.parse`; may throw.
 */
export function parseExactJson(text: string, visit?: (key: string, value: unknown) => unknown): unknown {
  if (!LONG_NUMBER.test(text)) return SOURCED.parse(text, visit)
  return SOURCED.parse(text, (key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || isKept(value, source))
      return visit ? visit(key, value) : value
    return SOURCED.rawJSON(source)
  })
}

export function isRawNumber(value: unknown): value is RawNumber {
  return SOURCED.isRawJSON(value)
}

function isKept(value: number, source: string): boolean {
  if (!LONG_NUMBER.test(source) || String(value) === source) return true
  const [mantissa = '', exponent = '0'] = source.split(/[eE]/)
  const digits = mantissa.replaceAll(/[-.]/g, '').replace(/^0+/, '').length
  // Doubles with full precision range from 1e-307 to 1e308, so neither end is reached.
  return digits <= SAFE_DIGITS && mantissa.length < 25 && Math.abs(Number(exponent)) < 280
}
