import { Bytes, NumberText, type Value } from '../value.ts'
import { fromBinaryDate, fromOracleDate } from './date-literal.ts'
import { toJsonNumber, toJsonValue } from './json-literal.ts'
import { peekAfter } from './read-quoted.ts'
import { decodeUnicodeEscapes } from './sql-string.ts'
import { errorAt, type SqlTokens, showToken } from './sql-tokens.ts'

/** Type keywords that may precede a string literal. */
const TYPED = new Set(['DATE', 'TIME', 'TIMESTAMP', 'INTERVAL', 'DATETIME', 'UUID', 'JSON', 'JSONB'])
const JSON_TYPES = new Set(['JSON', 'JSONB'])

/** Maximum nesting depth of calls and parentheses. */
const MAX_DEPTH = 32

/**
 * Parses a value of an INSERT: a literal of any dialect, a cast of one, or one of the function calls that
 * dumps use for strings and JSON.
 */
export function readLiteral(tokens: SqlTokens, depth = 0): Value {
  if (depth > MAX_DEPTH) throw tokens.error(`values are nested too deeply (limit ${MAX_DEPTH} levels)`)
  let value = readPrimary(tokens, depth)
  for (;;) {
    if (tokens.takeSign('::')) value = cast(value, readTypeName(tokens))
    else if (tokens.takeSign('||')) value = textOf(value) + textOf(readPrimary(tokens, depth))
    else if (tokens.takeWord('COLLATE')) tokens.next()
    else return value
  }
}

function readPrimary(tokens: SqlTokens, depth: number): Value {
  const error = () => tokens.error(`expected a value, found ${showToken(tokens.peek())}`)
  const token = tokens.peek()
  switch (token.kind) {
    case 'string':
      return readString(tokens)
    case 'number':
      return readNumber(tokens, '')
    case 'name':
      // MySQL reads "text" as a string; so does SQLite if no column has that name.
      if (token.quote !== '"') throw error()
      tokens.next()
      return token.text
    case 'sign':
      if (token.text === '(') return readParenthesis(tokens, depth)
      // $19.99 is money in SQL Server.
      if (token.text !== '-' && token.text !== '+' && token.text !== '$') throw error()
      tokens.next()
      if (tokens.peek().kind !== 'number') throw tokens.error('a sign must be followed by a number')
      return readNumber(tokens, token.text === '-' ? '-' : '')
    case 'word':
      return readWord(tokens, token.upper, depth)
    default:
      throw error()
  }
}

function readParenthesis(tokens: SqlTokens, depth: number): Value {
  tokens.next()
  const value = readLiteral(tokens, depth + 1)
  if (!tokens.takeSign(')')) throw tokens.error(`expected ")", found ${showToken(tokens.peek())}`)
  return value
}

function readString(tokens: SqlTokens): Value {
  let text = ''
  // Adjacent string literals are concatenated.
  for (let token = tokens.peek(); token.kind === 'string'; token = tokens.peek()) {
    if (token.prefix === 'X') {
      if (!/^(?:[0-9a-fA-F]{2})*$/.test(token.text)) throw tokens.error('invalid hex string')
      tokens.next()
      return new Bytes(token.text)
    }
    text += token.text
    tokens.next()
  }
  return text
}

function readNumber(tokens: SqlTokens, sign: '' | '-'): Value {
  const token = tokens.peek()
  if (token.kind !== 'number') throw tokens.error('expected a number')
  const text = token.text.replaceAll('_', '')
  const hex = /^0[xX]((?:[0-9a-fA-F]{2})*[0-9a-fA-F]?)$/.exec(text)?.[1]
  if (hex !== undefined) {
    tokens.next()
    if (tokens.dialect === 'postgres' || tokens.dialect === 'sqlite')
      return new NumberText(`${sign}${BigInt(text)}`)
    return new Bytes(hex.length % 2 === 0 ? hex : `0${hex}`)
  }
  const written = toJsonNumber(`${sign}${text}`)
  if (!written) throw tokens.error('invalid number')
  tokens.next()
  return written
}

function readWord(tokens: SqlTokens, upper: string, depth: number): Value {
  const place = tokens.place()
  tokens.next()
  if (upper === 'NULL') return null
  if (upper === 'TRUE') return true
  if (upper === 'FALSE') return false
  const token = tokens.peek()
  if (token.kind === 'string' && (TYPED.has(upper) || upper.startsWith('_'))) {
    const value = readString(tokens)
    if (upper === '_BINARY' && typeof value === 'string') return new Bytes(Buffer.from(value).toString('hex'))
    return cast(value, upper)
  }
  if (upper === 'ARRAY' && tokens.takeSign('[')) return readItems(tokens, ']', depth)
  // UTL_RAW.CAST_TO_RAW('text') of Oracle
  if (upper === 'UTL_RAW' && tokens.takeSign('.') && tokens.takeWord('CAST_TO_RAW')) {
    const text = readParenthesis(tokens, depth)
    if (typeof text === 'string') return new Bytes(Buffer.from(text).toString('hex'))
  }
  const isKnown = tokens.takeSign('(')
  const unknown = `${upper} cannot be evaluated without a database`
  if (!isKnown) throw errorAt(place, unknown)
  if (upper === 'CAST' || upper === 'TRY_CAST') return readCast(tokens, depth)
  if (upper === 'CONVERT' && tokens.peek().kind === 'word' && [',', '('].includes(peekAfter(tokens.cursor)))
    return readConvert(tokens, depth)
  const value = evaluateCall(upper, readItems(tokens, ')', depth))
  if (value === undefined) throw errorAt(place, unknown)
  return value
}

function readCast(tokens: SqlTokens, depth: number): Value {
  const value = readLiteral(tokens, depth + 1)
  if (!tokens.takeWord('AS')) throw tokens.error(`expected AS, found ${showToken(tokens.peek())}`)
  return castBinary(tokens, value, readTypeName(tokens))
}

/** `CONVERT(datetime, '…', 120)` of SQL Server; the last argument is a style, which only matters for other inputs. */
function readConvert(tokens: SqlTokens, depth: number): Value {
  const type = readTypeName(tokens)
  if (!tokens.takeSign(',')) throw tokens.error(`expected ",", found ${showToken(tokens.peek())}`)
  const value = readLiteral(tokens, depth + 1)
  if (tokens.takeSign(',')) tokens.next()
  return castBinary(tokens, value, type)
}

/** Applies a cast at its closing parenthesis. SQL Server Management Studio wrote dates as binary values. */
function castBinary(tokens: SqlTokens, value: Value, type: string): Value {
  const isTime = /^(?:SMALL)?DATE|^TIME/i.test(type)
  const date = value instanceof Bytes && isTime ? fromBinaryDate(value.hex, type) : null
  if (value instanceof Bytes && isTime && date === null)
    throw tokens.error(`a binary value as ${type} is not supported: script the table with dates as text`)
  if (!tokens.takeSign(')')) throw tokens.error(`expected ")", found ${showToken(tokens.peek())}`)
  return date ?? cast(value, type)
}

function readItems(tokens: SqlTokens, close: string, depth: number): Value[] {
  const items: Value[] = []
  if (tokens.takeSign(close)) return items
  do {
    items.push(readLiteral(tokens, depth + 1))
    // CONVERT(text USING utf8mb4)
    if (tokens.takeWord('USING')) tokens.next()
  } while (tokens.takeSign(','))
  if (!tokens.takeSign(close)) throw tokens.error(`expected "${close}", found ${showToken(tokens.peek())}`)
  return items
}

/** Reads a type such as `numeric(10,2)`, `timestamp without time zone`, `"public"."kind"` or `text[]`. */
function readTypeName(tokens: SqlTokens): string {
  let name = ''
  for (;;) {
    const token = tokens.peek()
    if (token.kind === 'word' && token.upper !== 'COLLATE') name += ` ${token.upper}`
    else if (token.kind === 'name') name += ` ${token.text}`
    else if (token.kind === 'sign' && token.text === '(' && name !== '') {
      while (!tokens.takeSign(')'))
        if (tokens.next().kind === 'end') throw tokens.error('a type has an unclosed parenthesis')
      continue
    } else if (token.kind !== 'sign' || !'.[]'.includes(token.text)) return name.trim()
    else if (token.text === '[') name += '[]'
    tokens.next()
  }
}

/** Applies a cast. Only casts to JSON and bytea change the value; a quoted number stays a string. */
function cast(value: Value, type: string): Value {
  if (JSON_TYPES.has(type.toUpperCase()) && typeof value === 'string') return toJsonValue(value)
  if (/^BYTEA$/i.test(type) && typeof value === 'string' && /^\\x(?:[0-9a-fA-F]{2})*$/.test(value))
    return new Bytes(value.slice(2))
  return value
}

function textOf(value: Value): string {
  if (typeof value === 'string') return value
  if (value instanceof NumberText) return value.text
  if (value instanceof Bytes) return value.toText()
  return ''
}

/**
 * Evaluates a function call that dumps are known to contain; undefined for any other. SQLite writes line
 * breaks as `replace('a\nb','\n',char(10))` and, since 3.50, as `unistr('a\u000ab')`.
 */
function evaluateCall(name: string, provided: readonly Value[]): Value | undefined {
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
    case 'HEXTORAW':
      return typeof first === 'string' && /^(?:[0-9a-fA-F]{2})*$/.test(first) ? new Bytes(first) : undefined
    case 'CONVERT':
    case 'TO_CLOB':
    case 'TO_NCLOB':
      return first
    case 'EMPTY_CLOB':
      return ''
    case 'EMPTY_BLOB':
      return new Bytes('')
    case 'TO_DATE':
    case 'TO_TIMESTAMP':
      return typeof first === 'string' && typeof second === 'string'
        ? fromOracleDate(first, second)
        : undefined
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
