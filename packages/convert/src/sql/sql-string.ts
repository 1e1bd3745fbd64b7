import { ConvertError } from '../convert-error.ts'
import { END, type TextCursor } from '../text-cursor.ts'

const BACKSLASH = 0x5c
const DIGIT_0 = 0x30

/** https://dev.mysql.com/doc/refman/8.4/en/string-literals.html, table 11.1 */
const MYSQL_ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\x1a',
  // Outside of patterns these two keep their backslash.
  '%': '\\%',
  _: '\\_',
}
/** https://www.postgresql.org/docs/current/sql-syntax-lexical.html, table 4.1; COPY adds `v`. */
const POSTGRES_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}
/** Numeric escapes: letter, minimum and maximum number of hex digits. */
const CODES: readonly (readonly [letter: string, min: number, max: number])[] = [
  ['x', 1, 2],
  ['u', 4, 4],
  ['U', 8, 8],
]

export type Escapes = 'none' | 'mysql' | 'postgres'

/** Continues after the opening quote. A quote inside is doubled or, if escapes are enabled, preceded by a backslash. */
export function readSqlString(cursor: TextCursor, quote: number, escapes: Escapes): string {
  const { line, column } = cursor.place()
  let text = ''
  cursor.begin()
  for (;;) {
    const code = cursor.peek()
    if (code === END) throw new ConvertError(NOT_CLOSED, line, column - 1)
    if (code === quote) {
      text += cursor.taken()
      cursor.advance()
      if (cursor.peek() !== quote) return text
      cursor.begin()
    } else if (code === BACKSLASH && escapes !== 'none') {
      text += cursor.taken()
      cursor.advance()
      text += escapes === 'mysql' ? readMysqlEscape(cursor) : readPostgresEscape(cursor)
      cursor.begin()
      continue
    }
    cursor.advance()
  }
}

const NOT_CLOSED =
  'unterminated string; if the dump escapes quotes with backslashes, set from_dialect to mysql'

function takeCharacter(cursor: TextCursor): string {
  const code = cursor.peek()
  if (code === END) throw cursor.error('unexpected end of the text after a backslash')
  cursor.advance()
  return String.fromCharCode(code)
}

function readMysqlEscape(cursor: TextCursor): string {
  const character = takeCharacter(cursor)
  return MYSQL_ESCAPES[character] ?? character
}

/** Continues after a backslash in an E'' string or a line of COPY. */
export function readPostgresEscape(cursor: TextCursor): string {
  const character = takeCharacter(cursor)
  for (const [letter, min, max] of CODES) {
    if (character !== letter) continue
    const digits = takeDigits(cursor, max, /[0-9a-fA-F]/)
    if (digits.length < min) return character + digits
    const code = Number.parseInt(digits, 16)
    if (code > 0x10ffff) throw cursor.error('an escape is beyond the last Unicode character (U+10FFFF)')
    return String.fromCodePoint(code)
  }
  if (character >= '0' && character <= '7') {
    const digits = character + takeDigits(cursor, 2, /[0-7]/)
    return String.fromCharCode(Number.parseInt(digits, 8) & 0xff)
  }
  return POSTGRES_ESCAPES[character] ?? character
}

function takeDigits(cursor: TextCursor, max: number, isDigit: RegExp): string {
  let digits = ''
  while (digits.length < max && cursor.peek() >= DIGIT_0) {
    const character = String.fromCharCode(cursor.peek())
    if (!isDigit.test(character)) break
    digits += character
    cursor.advance()
  }
  return digits
}

/** Resolves the escapes of a U&'' string or of SQLite's unistr(): `\0041`, `\+01F600` and `\\`. */
export function decodeUnicodeEscapes(text: string): string {
  return text.replaceAll(
    /\\(?:(\\)|\+([0-9a-fA-F]{6})|u?([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/g,
    (whole, backslash, six, four, eight) => {
      if (backslash) return '\\'
      const code = Number.parseInt(six ?? four ?? eight, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}
