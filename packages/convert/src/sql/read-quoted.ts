import { ConvertError } from '../convert-error.ts'
import { END, type TextCursor } from '../text-cursor.ts'

const BRACKET = 0x5d
const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x27

/** Continues after `[`. SQL Server doubles a closing bracket inside a name; SQLite and Access have no escape. */
export function readBracketName(cursor: TextCursor): string {
  const { line, column } = cursor.place()
  let name = ''
  cursor.begin()
  for (;;) {
    cursor.skipTo((code) => code === BRACKET || code === NEWLINE || code === RETURN)
    name += cursor.taken()
    if (!cursor.take(BRACKET)) throw new ConvertError('unterminated name in brackets', line, column - 1)
    if (cursor.peek() !== BRACKET) return name
    cursor.begin()
    cursor.advance()
  }
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')', '<': '>' }

/** Continues at the quote of an Oracle string such as `q'[it's]'`, whose ends are chosen by its writer. */
export function readChosenQuotes(cursor: TextCursor): string {
  const { line, column } = cursor.place()
  cursor.advance()
  const open = String.fromCharCode(cursor.peek())
  const close = (CLOSING[open] ?? open).charCodeAt(0)
  cursor.advance()
  cursor.begin()
  for (;;) {
    cursor.skipTo((code) => code === close)
    if (cursor.peek() === END)
      throw new ConvertError(`unterminated string: q'${open} is not closed`, line, column)
    if (cursor.peekAt(1) === QUOTE) break
    cursor.advance()
  }
  const text = cursor.taken()
  cursor.advance(2)
  return text
}

/** The rest of the line from `offset`, without white space, comments and semicolons; consumes nothing. */
export function restOfLine(cursor: TextCursor, offset: number): string {
  let text = ''
  for (let at = offset; ; at += 1) {
    const code = cursor.peekAt(at)
    if (code === END || code === NEWLINE || code === RETURN) break
    text += String.fromCharCode(code)
    // A batch separator has only a count and a comment next to it.
    if (text.length > 200) break
  }
  return text.replace(/--.*$/, '').replaceAll(/[\s;]/g, '')
}

/** What follows the current token after white space, consuming nothing: a word in upper case, one character, or ''. */
export function peekAfter(cursor: TextCursor): string {
  let at = 0
  while (isSpace(cursor.peekAt(at))) at += 1
  let word = ''
  for (
    let code = cursor.peekAt(at);
    isLetter(code) && word.length < 20;
    code = cursor.peekAt(at + word.length)
  )
    word += String.fromCharCode(code)
  const first = cursor.peekAt(at)
  return word !== '' ? word.toUpperCase() : first === END ? '' : String.fromCharCode(first)
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f
}
