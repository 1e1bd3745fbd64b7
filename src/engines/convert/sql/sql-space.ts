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
  for (;;) {
    const code = cursor.peek()
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) cursor.advance()
    else if (code === 0x2d && cursor.peekAt(1) === 0x2d) skipLineComment(tokens, 2)
    else if (code === 0x23 && tokens.dialect !== 'postgres') skipLineComment(tokens, 1)
    else if (code === 0x2f && cursor.peekAt(1) === 0x2a) skipComment(tokens)
    else return
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

/** Skips a comment, including MySQL's conditional comments: no dump puts rows into them. */
function skipComment(tokens: Skipping): void {
  const { cursor } = tokens
  const open = cursor.fault('unterminated comment')
  const isConditional = cursor.peekAt(2) === 0x21 || (cursor.peekAt(2) === 0x4d && cursor.peekAt(3) === 0x21)
  if (isConditional) tokens.recognise('mysql')
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
