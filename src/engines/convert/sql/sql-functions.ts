import { Bytes, NumberText, type Value } from '../value.ts'
import { toJsonValue } from './json-literal.ts'
import { decodeUnicodeEscapes } from './sql-string.ts'

/**
 * Evaluates a function call that dumps are known to contain; undefined for any other. SQLite writes line
 * breaks as `replace('a\nb','\n',char(10))` and, since 3.50, as `unistr('a\u000ab')`.
 */
export function evaluateCall(name: string, provided: readonly Value[]): Value | undefined {
  const [first = null, second = null, third = null] = provided
  switch (name) {
    case 'REPLACE':
      return typeof first === 'string' && typeof second === 'string' && typeof third === 'string'
        ? replaceAll(first, second, third)
        : undefined
    case 'CHAR':
    case 'CHR':
      return toCharacters(provided)
    case 'UNISTR':
      return typeof first === 'string' ? decodeUnicodeEscapes(first) : undefined
    case 'JSON':
    case 'JSONB':
      return typeof first === 'string' ? toJsonValue(first) : undefined
    case 'JSON_EXTRACT':
      return typeof first === 'string' && second === '$' ? toJsonValue(first) : undefined
    case 'UNHEX':
      return typeof first === 'string' && /^(?:[0-9a-fA-F]{2})*$/.test(first) ? new Bytes(first) : undefined
    case 'CONVERT':
      return first
    default:
      return undefined
  }
}

/**
 * Dumps replace a marker with one character; replacements that grow the text could expand a small input
 * exponentially.
 */
function replaceAll(text: string, from: string, to: string): string | undefined {
  if (from === '') return text
  return to.length <= from.length ? text.replaceAll(from, () => to) : undefined
}

function toCharacters(codes: readonly Value[]): string | undefined {
  const numbers = codes.map((code) => (code instanceof NumberText ? Number(code.text) : Number.NaN))
  const isCode = (code: number) => Number.isInteger(code) && code >= 0 && code <= 0x10ffff
  return numbers.every(isCode) ? numbers.map((code) => String.fromCodePoint(code)).join('') : undefined
}
