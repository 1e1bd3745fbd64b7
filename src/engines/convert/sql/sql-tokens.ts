import { ConvertError } from '../convert-error.ts'
import type { SqlDialect } from '../format.ts'
import { showCode } from '../show-code.ts'
import { END, type Place, type TextCursor } from '../text-cursor.ts'
import { skipSpace } from './sql-space.ts'
import { decodeUnicodeEscapes, readSqlString } from './sql-string.ts'

const QUOTE = 0x27
const DOUBLE_QUOTE = 0x22
const BACKTICK = 0x60

export type Token =
  /** A keyword or an unquoted name. */
  | { readonly kind: 'word'; readonly text: string; readonly upper: string }
  /** `name`, or "name", which MySQL reads as a string. */
  | { readonly kind: 'name'; readonly text: string; readonly isDouble: boolean }
  /** A string literal with its prefix in upper case: E, N, X, B, U& or none. */
  | { readonly kind: 'string'; readonly text: string; readonly prefix: string }
  | { readonly kind: 'number'; readonly text: string }
  /** Punctuation, such as `(` or `::`. */
  | { readonly kind: 'sign'; readonly text: string }
  | { readonly kind: 'statement-end' }
  | { readonly kind: 'end' }

const PREFIXES: ReadonlySet<string> = new Set(['E', 'N', 'X', 'B'])

/** Tokenizer for SQL in any dialect, with one token of lookahead. */
export class SqlTokens {
  readonly cursor: TextCursor
  /** As set by the caller or detected; null until then. */
  dialect: SqlDialect | null
  #hasBackslashes = false
  #delimiter = ';'
  #next: Token | null = null
  #place: Place = { line: 1, column: 1 }

  constructor(cursor: TextCursor, dialect: SqlDialect | null) {
    this.cursor = cursor
    this.dialect = dialect
  }

  /** Sets the detected dialect, unless one is already set. */
  recognise(dialect: SqlDialect): void {
    this.dialect ??= dialect
  }

  /** Whether plain strings have backslash escapes in PostgreSQL (`standard_conforming_strings` is off). */
  setBackslashes(hasBackslashes: boolean): void {
    this.#hasBackslashes = hasBackslashes
  }

  peek(): Token {
    this.#next ??= this.#read()
    return this.#next
  }

  next(): Token {
    const token = this.peek()
    this.#next = null
    return token
  }

  /** Consumes the next token if it is this punctuation. */
  takeSign(text: string): boolean {
    const token = this.peek()
    if (token.kind !== 'sign' || token.text !== text) return false
    this.#next = null
    return true
  }

  /** Consumes the next token if it is this word; `upper` is in upper case. */
  takeWord(upper: string): boolean {
    const token = this.peek()
    if (token.kind !== 'word' || token.upper !== upper) return false
    this.#next = null
    return true
  }

  /** Drops the next token and returns the rest of its line. */
  takeLine(): string {
    this.peek()
    this.#next = null
    this.cursor.begin()
    this.cursor.skipTo((code) => code === 0x0a || code === 0x0d)
    return this.cursor.taken()
  }

  /** Sets the statement delimiter, as the DELIMITER command of the MySQL client does. */
  setDelimiter(delimiter: string): void {
    if (delimiter !== '') this.#delimiter = delimiter
  }

  /** Position of the next token. */
  place(): Place {
    this.peek()
    return this.#place
  }

  /** An error at the next token. */
  fault(message: string): ConvertError {
    return faultAt(this.place(), message)
  }

  #read(): Token {
    const { cursor } = this
    skipSpace(this)
    this.#place = cursor.place()
    const code = cursor.peek()
    if (code === END) return { kind: 'end' }
    if (this.#takeDelimiter(code)) return { kind: 'statement-end' }
    if (code === QUOTE) return this.#string('')
    if (code === DOUBLE_QUOTE || code === BACKTICK) return this.#name(code)
    if (isDigit(code) || (code === 0x2e && isDigit(cursor.peekAt(1)))) return this.#number()
    if (isWordStart(code)) return this.#word()
    if (code === 0x24) return this.#dollar()
    return this.#sign(code)
  }

  #takeDelimiter(code: number): boolean {
    const delimiter = this.#delimiter
    if (code !== delimiter.charCodeAt(0)) return false
    for (let at = 1; at < delimiter.length; at += 1)
      if (this.cursor.peekAt(at) !== delimiter.charCodeAt(at)) return false
    this.cursor.advance(delimiter.length)
    return true
  }

  #string(prefix: string): Token {
    this.cursor.advance()
    const isMysql = this.dialect === 'mysql'
    const isEscaped = prefix === 'E' || (this.#hasBackslashes && prefix === '')
    const escapes = isEscaped ? 'postgres' : isMysql && prefix !== 'X' ? 'mysql' : 'none'
    const text = readSqlString(this.cursor, QUOTE, escapes)
    return { kind: 'string', prefix, text: prefix === 'U&' ? decodeUnicodeEscapes(text) : text }
  }

  #name(quote: number): Token {
    const isDouble = quote === DOUBLE_QUOTE
    this.cursor.advance()
    const escapes = isDouble && this.dialect === 'mysql' ? 'mysql' : 'none'
    return { kind: 'name', text: readSqlString(this.cursor, quote, escapes), isDouble }
  }

  #number(): Token {
    const { cursor } = this
    cursor.begin()
    const isHex = cursor.peek() === 0x30 && (cursor.peekAt(1) | 0x20) === 0x78
    for (let last = 0; ; cursor.advance()) {
      const code = cursor.peek()
      const isExponentSign = !isHex && (code === 0x2b || code === 0x2d) && (last | 0x20) === 0x65
      if (!isWordPart(code) && code !== 0x2e && !isExponentSign) break
      last = code
    }
    return { kind: 'number', text: cursor.taken() }
  }

  #word(): Token {
    const { cursor } = this
    cursor.begin()
    cursor.skipTo((code) => !isWordPart(code))
    const text = cursor.taken()
    const upper = text.toUpperCase()
    const code = cursor.peek()
    if (code === QUOTE && PREFIXES.has(upper)) return this.#string(upper)
    if (code === 0x26 && upper === 'U' && cursor.peekAt(1) === QUOTE) {
      cursor.advance()
      return this.#string('U&')
    }
    return { kind: 'word', text, upper }
  }

  /** A dollar-quoted body, `$$ … $$` or `$tag$ … $tag$`, is one string. */
  #dollar(): Token {
    const { cursor } = this
    let length = 1
    while (isWordStart(cursor.peekAt(length)) || isDigit(cursor.peekAt(length))) length += 1
    if (cursor.peekAt(length) !== 0x24 || isDigit(cursor.peekAt(1))) return this.#sign(0x24)
    cursor.begin()
    cursor.advance(length + 1)
    const tag = cursor.taken()
    cursor.begin()
    const isTag = () => {
      for (let at = 0; at < tag.length; at += 1) if (cursor.peekAt(at) !== tag.charCodeAt(at)) return false
      return true
    }
    for (;;) {
      cursor.skipTo((code) => code === 0x24)
      if (cursor.peek() === END) throw this.cursor.fault(`unterminated string: the closing ${tag} is missing`)
      if (isTag()) break
      cursor.advance()
    }
    const text = cursor.taken()
    cursor.advance(tag.length)
    return { kind: 'string', prefix: '', text }
  }

  #sign(code: number): Token {
    const two = String.fromCharCode(code, Math.max(0, this.cursor.peekAt(1)))
    const text = two === '::' || two === '||' ? two : String.fromCharCode(code)
    this.cursor.advance(text.length)
    return { kind: 'sign', text }
  }
}

export function faultAt({ line, column }: Place, message: string): ConvertError {
  return new ConvertError(message, line, column)
}

/** A token formatted for an error message. */
export function showToken(token: Token): string {
  if (token.kind === 'end') return 'the end of the text'
  if (token.kind === 'statement-end') return 'the end of the statement'
  if (token.kind === 'sign') return showCode(token.text.charCodeAt(0))
  const text = token.text.length > 30 ? `${token.text.slice(0, 30)}…` : token.text
  return token.kind === 'string' ? `'${text}'` : text
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isWordStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code >= 0x80
}

function isWordPart(code: number): boolean {
  return isWordStart(code) || isDigit(code) || code === 0x24
}
