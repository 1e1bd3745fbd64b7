import { END, TextCursor } from '../text-cursor.ts'
import type { Value } from '../value.ts'
import { toJsonNumber, toJsonValue } from './json-literal.ts'
import { readPostgresEscape } from './sql-string.ts'
import type { SqlTokens } from './sql-tokens.ts'

const NUMBER_TYPES = /^(?:smallint|integer|bigint|int\d?|numeric|decimal|real|double|float\d?|\w*serial)$/

/**
 * Reads the data lines of `COPY … FROM stdin` up to `\.`, in the plain text format of pg_dump: cells
 * separated by tabs, `\N` for null. The cursor is after the semicolon. Types come from CREATE TABLE, if there
 * was one.
 */
export function* readCopyLines(
  tokens: SqlTokens,
  types: readonly string[] | null,
): Generator<{ readonly values: Value[]; readonly line: number }> {
  const { cursor } = tokens
  const readLine = () => {
    cursor.begin()
    cursor.skipTo((code) => code === 0x0a || code === 0x0d)
    const text = cursor.taken()
    if (cursor.take(0x0d)) cursor.take(0x0a)
    else cursor.take(0x0a)
    return text
  }
  if (readLine().trim() !== '') throw cursor.error('the data of COPY must begin on the next line')
  for (;;) {
    const line = cursor.line()
    if (cursor.peek() === END) throw cursor.error('the data of COPY must end with \\.')
    const text = readLine()
    if (text === '\\.') return
    const cells = text.split('\t').map(decodeCell)
    yield { values: cells.map((cell, at) => toValue(cell, types?.[at])), line }
  }
}

function decodeCell(text: string): string | null {
  if (text === '\\N') return null
  if (!text.includes('\\')) return text
  const cursor = new TextCursor([text])
  let decoded = ''
  while (cursor.peek() !== END) {
    cursor.begin()
    cursor.skipTo((code) => code === 0x5c)
    decoded += cursor.taken()
    if (!cursor.take(0x5c)) break
    decoded += cursor.peek() === END ? '\\' : readPostgresEscape(cursor)
  }
  return decoded
}

/** Converts a cell by its column type; NaN and Infinity stay strings, because JSON has no such numbers. */
function toValue(cell: string | null, type = ''): Value {
  if (cell === null) return null
  if (type === 'boolean' || type === 'bool') return cell === 't' ? true : cell === 'f' ? false : cell
  if (type === 'json' || type === 'jsonb') return toJsonValue(cell)
  return NUMBER_TYPES.test(type) ? (toJsonNumber(cell) ?? cell) : cell
}
