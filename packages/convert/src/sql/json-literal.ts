import { parseStructure } from '../table/infer-cell.ts'
import { JSON_NUMBER, NumberText, type Value } from '../value.ts'

/**
 * Rewrites an SQL number as a JSON number with the same digits: `.50` becomes `0.50`, `007` becomes `7`; null
 * if it is not a number.
 */
export function toJsonNumber(text: string): NumberText | null {
  if (JSON_NUMBER.test(text)) return new NumberText(text)
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?((?:[eE][+-]?\d+)?)$/.exec(text)
  if (!match || !/\d/.test(text.replace(/[eE].*$/, ''))) return null
  const [, sign = '', whole = '', decimals = '', exponent = ''] = match
  const point = decimals === '' ? '' : `.${decimals}`
  return new NumberText(`${sign === '-' ? '-' : ''}${whole || '0'}${point}${exponent}`)
}

/** Values nested deeper than this stay strings. */
const MAX_JSON_DEPTH = 64

/** Parses the text of a JSON column; returns the text itself if it is not valid JSON. */
export function toJsonValue(text: string): Value {
  const trimmed = text.trim()
  if (trimmed === 'true') return true
  if (trimmed === 'false') return false
  if (trimmed === 'null') return null
  if (JSON_NUMBER.test(trimmed)) return new NumberText(trimmed)
  return parseStructure(trimmed, MAX_JSON_DEPTH) ?? text
}
