import { ConvertError } from '../convert-error.ts'
import type { SqlDialect } from '../format.ts'
import { showCode } from '../show-code.ts'
import { END, type Place, type TextCursor } from '../text-cursor.ts'
import { readBracketName, readChosenQuotes, restOfLine } from './read-quoted.ts'
import { skipSpace } from './sql-space.ts'
import { decodeUnicodeEscapes, readSqlString } from './sql-string.ts'
import { isDigit, isWordPart, isWordStart } from './word-characters.ts'

const QUOTE = 0x27
const DOUBLE_QUOTE = 0x22
const BACKTICK = 0x60
const SLASH = 0x2f
const HASH = 0x23
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

export type Token =
  /** A keyword or an unquoted name. */
  | { readonly kind: 'word'; readonly text: string; readonly upper: string }
  /** `name`, [name], or "name", which MySQL reads as a string. */
  | { readonly kind: 'name'; readonly text: string; readonly quote: '`' | '[' | '"' }
  /** A string literal with its prefix in upper case: E, N, X, B, U&, Q, NQ, $ or none. */
  | { readonly kind: 'string'; readonly text: string; readonly prefix: string }
  | { readonly kind: 'number'; readonly text: string }
  /** Punctuation, such as `(` or `::`. */
  | { readonly kind: 'sign'; readonly text: string }
  /** A semicolon, or a line that ends a batch: GO in SQL Server, a slash in Oracle. */
  | { readonly kind: 'statement-end'; readonly isBatch: boolean }
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
  #isFirstOnLine = true
  /** Whether the next token follows a word or name without white space. */
  #isAttached = false
  /** Whether the last token was a name or a word. */
  #wasWord = false

  constructor(cursor: TextCursor, dialect: SqlDialect | null) {
    this.cursor = cursor
    this.dialect = dialect
  }

  get hasBackslashes(): boolean {
    return this.#hasBackslashes
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

  /** Whether no token stands before the next one on its line. */
  startsLine(): boolean {
    this.peek()
    return this.#isFirstOnLine
  }

  /** Whether the next token follows a word without white space, as the string in `it's`. */
  isAttached(): boolean {
    this.peek()
    return this.#isAttached
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
  error(message: string): ConvertError {
    return errorAt(this.place(), message)
  }

  #read(): Token {
    const { line, column } = this.cursor.place()
    skipSpace(this)
    this.#place = this.cursor.place()
    this.#isFirstOnLine = this.#place.line > line || column === 1
    this.#isAttached = this.#wasWord && this.#place.line === line && this.#place.column === column
    const token = this.#readToken()
    this.#wasWord = token.kind === 'word' || token.kind === 'name'
    return token
  }

  #readToken(): Token {
    const { cursor } = this
    const code = cursor.peek()
    if (code === END) return { kind: 'end' }
    if (this.#takeDelimiter(code)) return { kind: 'statement-end', isBatch: this.#delimiter !== ';' }
    if (code === SLASH && this.#endsBatch(1)) {
      cursor.advance()
      return { kind: 'statement-end', isBatch: true }
    }
    if (code === QUOTE) return this.#string('')
    if (code === DOUBLE_QUOTE || code === BACKTICK) return this.#name(code)
    if (code === OPEN_BRACKET && !this.#isAttached && this.#isBracketName()) return this.#bracketName()
    if (code === HASH && this.dialect !== 'postgres') return this.#word()
    if (isDigit(code) || (code === 0x2e && isDigit(cursor.peekAt(1)))) return this.#number()
    if (isWordStart(code)) return this.#word()
    if (code === 0x24) return this.#dollar()
    return this.#sign(code)
  }

  /**
   * Whether the word or sign before `offset` is alone on its line and so ends a batch.
   * @throws ConvertError if the batch is to run more than once, because its rows would be repeated
   */
  #endsBatch(offset: number): boolean {
    if (!this.#isFirstOnLine || (this.dialect !== null && this.dialect !== 'ansi')) return false
    const rest = restOfLine(this.cursor, offset)
    if (offset === 0 && /^[1-9]\d*$/.test(rest) && rest !== '1')
      throw errorAt(this.#place, `GO ${rest} repeats its batch, which is not supported`)
    return rest === '' || (offset === 0 && rest === '1')
  }

  /** A subscript, as in ARRAY[1] or a['b'], is no name. */
  #isBracketName(): boolean {
    const next = this.cursor.peekAt(1)
    return this.dialect !== 'postgres' && this.dialect !== 'mysql' && next !== QUOTE && next !== CLOSE_BRACKET
  }

  #bracketName(): Token {
    this.cursor.advance()
    return { kind: 'name', text: readBracketName(this.cursor), quote: '[' }
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
    return { kind: 'name', text: readSqlString(this.cursor, quote, escapes), quote: isDouble ? '"' : '`' }
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
    const hasHash = this.dialect !== 'mysql' && this.dialect !== 'postgres'
    cursor.begin()
    // Temporary tables of SQL Server are #name and ##name.
    cursor.skipTo((code) => !isWordPart(code) && !(hasHash && code === HASH))
    const text = cursor.taken()
    const upper = text.toUpperCase()
    const code = cursor.peek()
    if (upper === 'GO' && this.#endsBatch(0)) {
      cursor.skipTo((next) => next === 0x0a || next === 0x0d)
      return { kind: 'statement-end', isBatch: true }
    }
    if (code === QUOTE && hasHash && (upper === 'Q' || upper === 'NQ'))
      return { kind: 'string', prefix: upper, text: readChosenQuotes(cursor) }
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
      if (cursor.peek() === END) throw this.cursor.error(`unterminated string: the closing ${tag} is missing`)
      if (isTag()) break
      cursor.advance()
    }
    const text = cursor.taken()
    cursor.advance(tag.length)
    return { kind: 'string', prefix: '$', text }
  }

  #sign(code: number): Token {
    const two = String.fromCharCode(code, Math.max(0, this.cursor.peekAt(1)))
    const text = two === '::' || two === '||' ? two : String.fromCharCode(code)
    this.cursor.advance(text.length)
    return { kind: 'sign', text }
  }
}

export function errorAt({ line, column }: Place, message: string): ConvertError {
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
