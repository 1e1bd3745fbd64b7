import { parseStructure } from '../read/infer-cell.ts'
import { JSON_NUMBER, NumberText, type Value } from '../value.ts'

/** A number of SQL in the grammar of JSON, with the same digits: `.50` is `0.50`, `007` is `7`; null for no number. */
export function toJsonNumber(text: string): NumberText | null {
  if (JSON_NUMBER.test(text)) return new NumberText(text)
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?((?:[eE][+-]?\d+)?)$/.exec(text)
  if (!match || !/\d/.test(text.replace(/[eE].*$/, ''))) return null
  const [, sign = '', whole = '', decimals = '', exponent = ''] = match
  const point = decimals === '' ? '' : `.${decimals}`
  return new NumberText(`${sign === '-' ? '-' : ''}${whole || '0'}${point}${exponent}`)
}

/** Nested values deeper than this stay text. */
const MAX_JSON_DEPTH = 64

/** What a text of a JSON column stands for; the text itself where it is no JSON. */
export function toJsonValue(text: string): Value {
  const trimmed = text.trim()
  if (trimmed === 'true') return true
  if (trimmed === 'false') return false
  if (trimmed === 'null') return null
  if (JSON_NUMBER.test(trimmed)) return new NumberText(trimmed)
  return parseStructure(trimmed, MAX_JSON_DEPTH) ?? text
}
