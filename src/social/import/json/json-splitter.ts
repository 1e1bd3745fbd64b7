import * as json from '../../../engines/json/json-cursor.ts'
import { PermanentError } from '../../../flow/failure.ts'

/** One unparsed value of a file; `line` is where it begins, from 1. */
export type UnparsedValue = { readonly bytes: Buffer; readonly line: number }

export type SplitOptions = {
  /** Longer values are rejected, since a value is held in memory. */
  readonly maxBytes: number
}

/** No importable value is nested this deeply; parsing such values would exhaust the stack. */
const MAX_DEPTH = 100

const NEWLINE = 0x0a
const SPACES = new Set(Buffer.from(' \t\r\n'))

/**
 * Splits a stream of bytes into its values, which are consecutive or one array, with the memory of one value. It reads only brackets, quotes and
 * commas: parsing the JSON is up to the caller.
 */
export function createJsonSplitter({ maxBytes }: SplitOptions) {
  const cursor = new json.JsonCursor()
  let where: 'before' | 'between' | 'structured' | 'bare' | 'after' = 'before'
  let isArray = false
  let needsComma = false
  let hasComma = false
  let line = 1
  let depth = 0
  let valueLine = 1
  let pieces: Buffer[] = []
  let pieceBytes = 0

  function fail(what: string): never {
    throw new PermanentError(`line ${line}: ${what}`)
  }

  function keep(piece: Buffer): void {
    pieceBytes += piece.length
    if (pieceBytes > maxBytes) fail(`a value from line ${valueLine} on has more than ${maxBytes} bytes`)
    pieces.push(piece)
  }

  function take(): UnparsedValue {
    const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
    pieces = []
    pieceBytes = 0
    needsComma = isArray
    hasComma = false
    where = 'between'
    return { bytes, line: valueLine }
  }

  /** Handles bytes between values; true where a value begins. */
  function isStart(byte: number): boolean {
    if (SPACES.has(byte)) return false
    if (where === 'after') fail('unexpected data after the end of the array')
    if (isArray && byte === json.COMMA) {
      if (!needsComma) fail('a comma without a value before it')
      needsComma = false
      hasComma = true
      return false
    }
    if (isArray && byte === json.CLOSE_LIST) {
      if (hasComma) fail('a comma without a value after it')
      where = 'after'
      return false
    }
    if (needsComma) fail('two values without a comma between them')
    return true
  }

  /** Handles bytes before the first value; true where it begins. */
  function isFirst(byte: number): boolean {
    if (SPACES.has(byte)) return false
    where = 'between'
    isArray = byte === json.OPEN_LIST
    return !isArray
  }

  function begin(byte: number): void {
    where = byte === json.QUOTE || isOpening(byte) ? 'structured' : 'bare'
    valueLine = line
    depth = 0
  }

  /** Moves the cursor behind the current value; false if the value does not end in this chunk. */
  function endStructured(): boolean {
    for (let code = cursor.next(); code !== json.END; code = cursor.next()) {
      if (isOpening(code)) depth += 1
      else if (code === json.CLOSE_LIST || code === json.CLOSE_OBJECT) depth -= 1
      if (depth === 0) return true
      if (depth > MAX_DEPTH) break
    }
    return false
  }

  return {
    /** The values that end within these bytes. */
    push(chunk: Buffer): UnparsedValue[] {
      const found: UnparsedValue[] = []
      cursor.feed(chunk.toString('latin1'))
      let from = 0
      for (let at = 0; at < chunk.length; ) {
        if (where === 'structured') {
          cursor.at = at
          const isEnd = endStructured()
          countLines(chunk, at, cursor.at)
          if (depth > MAX_DEPTH) fail(`a value is nested too deeply (limit ${MAX_DEPTH} levels)`)
          at = cursor.at
          if (!isEnd) break
          keep(chunk.subarray(from, at))
          found.push(take())
          continue
        }
        // The index is within the length.
        const byte = chunk[at] as number
        if (where === 'bare') {
          if (!SPACES.has(byte) && byte !== json.COMMA && byte !== json.CLOSE_LIST) {
            at += 1
            continue
          }
          keep(chunk.subarray(from, at))
          found.push(take())
        }
        if (byte === NEWLINE) line += 1
        if (where === 'before' ? isFirst(byte) : isStart(byte)) {
          begin(byte)
          from = at
          if (where === 'bare') at += 1
        } else at += 1
      }
      if (where === 'structured' || where === 'bare') keep(chunk.subarray(from))
      return found
    },
    /** @throws PermanentError if the file is truncated. */
    end(): UnparsedValue[] {
      if (where === 'bare' && !isArray) return [take()]
      if (where === 'structured') fail(`the file ends within a value from line ${valueLine} on`)
      if (isArray && where !== 'after') fail('the file ends within its array')
      return []
    },
  }

  function countLines(chunk: Buffer, start: number, end: number): void {
    for (let at = chunk.indexOf(NEWLINE, start); at >= 0 && at < end; at = chunk.indexOf(NEWLINE, at + 1))
      line += 1
  }
}

function isOpening(byte: number): boolean {
  return byte === json.OPEN_OBJECT || byte === json.OPEN_LIST
}
