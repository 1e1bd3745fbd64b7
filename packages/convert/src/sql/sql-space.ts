import type { SqlDialect } from '../format.ts'
import { END, type TextCursor } from '../text-cursor.ts'

/** The first line of a dump names the program that wrote it. */
const DUMP_HEADERS: readonly (readonly [RegExp, SqlDialect])[] = [
  [/^\s*(?:MySQL|MariaDB) dump/, 'mysql'],
  [/^\s*PostgreSQL database (?:cluster )?dump/, 'postgres'],
]

type Skipping = {
  readonly cursor: TextCursor
  readonly dialect: SqlDialect | null
  recognise(dialect: SqlDialect): void
}

/** Skips white space and comments, which may reveal the dialect. */
export function skipSpace(tokens: Skipping): void {
  const { cursor } = tokens
  const { line, column } = cursor.place()
  for (;;) {
    const code = cursor.peek()
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) cursor.advance()
    else if (code === 0x2d && cursor.peekAt(1) === 0x2d) skipLineComment(tokens, 2)
    else if (code === 0x23 && startsComment(line, column)) skipLineComment(tokens, 1)
    else if (code === 0x2f && cursor.peekAt(1) === 0x2a) skipComment(tokens)
    else return
  }

  /** MySQL has comments from # to the end of the line, PostgreSQL an operator, SQL Server names such as #name. */
  function startsComment(start: number, from: number): boolean {
    if (tokens.dialect === 'mysql' || tokens.dialect === 'postgres') return tokens.dialect === 'mysql'
    const isFirst = cursor.line() > start || from === 1
    return isFirst || !/[\w#]/.test(String.fromCharCode(Math.max(0, cursor.peekAt(1))))
  }
}

function skipLineComment(tokens: Skipping, length: number): void {
  const { cursor } = tokens
  cursor.advance(length)
  cursor.begin()
  cursor.skipTo((code) => code === 0x0a || code === 0x0d)
  const text = cursor.taken()
  for (const [header, dialect] of DUMP_HEADERS) if (header.test(text)) tokens.recognise(dialect)
}

/**
 * Skips a comment, including MySQL's conditional comments: no dump puts rows into them.
 * @throws ConvertError if a conditional comment is an INSERT
 */
function skipComment(tokens: Skipping): void {
  const { cursor } = tokens
  const open = cursor.error('unterminated comment')
  const isConditional = cursor.peekAt(2) === 0x21 || (cursor.peekAt(2) === 0x4d && cursor.peekAt(3) === 0x21)
  if (isConditional) tokens.recognise('mysql')
  if (isConditional && /^[\dM!]*(?:INSERT|REPLACE)$/.test(startOfComment(cursor)))
    throw cursor.error('rows in a conditional comment are not supported')
  let depth = 0
  do {
    const code = cursor.peek()
    if (code === END) throw open
    const next = cursor.peekAt(1)
    const opens = code === 0x2f && next === 0x2a && (depth === 0 || tokens.dialect === 'postgres')
    const closes = code === 0x2a && next === 0x2f
    if (opens) depth += 1
    if (closes) depth -= 1
    cursor.advance(opens || closes ? 2 : 1)
  } while (depth > 0)
}

/** The first word in a conditional comment, with the version before it, without white space. */
function startOfComment(cursor: TextCursor): string {
  let text = ''
  for (let at = 2; at < 40; at += 1) text += String.fromCharCode(Math.max(0, cursor.peekAt(at)))
  return (/^[!M\d\s]*[A-Za-z]*/.exec(text)?.[0] ?? '').replaceAll(/\s/g, '').toUpperCase()
}
