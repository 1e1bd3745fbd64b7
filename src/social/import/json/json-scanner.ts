import { PermanentError } from '../../../fetching/failure.ts'

/** One unparsed value of a file; `line` is where it begins, from 1. */
export type JsonText = { readonly bytes: Buffer; readonly line: number }

export type ScanOptions = {
  /**
   * `values`: consecutive values, or one array of them. `assigned array`: an array after a script's
   * assignment, as in the parts of a data archive; the script is never executed.
   */
  readonly layout: 'values' | 'assigned array'
  /** Longer values are rejected, since a value is held in memory. */
  readonly maxBytes: number
}

/** Maximum length of `window.YTD.tweets.part0 = `. */
const ASSIGNMENT = /^\s*window\.[A-Za-z_.0-9]{1,200}\s*=\s*$/
const MAX_ASSIGNMENT_LENGTH = 300
/** No importable value is nested this deeply; parsing such values would exhaust the stack. */
const MAX_DEPTH = 100

const [QUOTE, BACKSLASH, COMMA, NEWLINE, OPEN, CLOSE, SEMICOLON] = Buffer.from('"\\,\n[];')
const SPACES = new Set(Buffer.from(' \t\r\n'))

/**
 * Splits a stream of bytes into its values, with the memory of one value. It reads only brackets, quotes and
 * commas: parsing the JSON is up to the caller.
 */
export function createJsonScanner({ layout, maxBytes }: ScanOptions) {
  let where: 'before' | 'between' | 'container' | 'text' | 'bare' | 'after' = 'before'
  let isArray = layout === 'assigned array'
  let needsComma = false
  let hasComma = false
  let header = ''
  let line = 1
  let depth = 1
  let isInText = false
  let isEscaped = false
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

  function take(): JsonText {
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
    if (where === 'after') {
      if (byte !== SEMICOLON || layout === 'values') fail('unexpected data after the end of the array')
      return false
    }
    if (isArray && byte === COMMA) {
      if (!needsComma) fail('a comma without a value before it')
      needsComma = false
      hasComma = true
      return false
    }
    if (isArray && byte === CLOSE) {
      if (hasComma) fail('a comma without a value after it')
      where = 'after'
      return false
    }
    if (needsComma) fail('two values without a comma between them')
    return true
  }

  /** Handles bytes before the first value; true where it begins. */
  function isFirst(byte: number): boolean {
    if (layout === 'values') {
      if (SPACES.has(byte)) return false
      where = 'between'
      isArray = byte === OPEN
      return !isArray
    }
    if (byte !== OPEN) {
      header += String.fromCharCode(byte)
      if (header.length > MAX_ASSIGNMENT_LENGTH) fail('the file does not begin like a part of a data archive')
      return false
    }
    if (!ASSIGNMENT.test(header)) fail('the file does not begin like a part of a data archive')
    where = 'between'
    return false
  }

  function begin(byte: number): void {
    where = byte === QUOTE ? 'text' : isOpening(byte) ? 'container' : 'bare'
    valueLine = line
    depth = 1
    isInText = where === 'text'
    isEscaped = false
  }

  return {
    /** The values that end within these bytes. */
    push(chunk: Buffer): JsonText[] {
      const found: JsonText[] = []
      let from = 0
      for (let at = 0; at < chunk.length; at += 1) {
        // The index is within the length.
        const byte = chunk[at] as number
        if (byte === NEWLINE) line += 1
        if (isInText) {
          if (isEscaped) isEscaped = false
          else if (byte === BACKSLASH) isEscaped = true
          else if (byte === QUOTE) isInText = false
          if (isInText || where === 'container') continue
          keep(chunk.subarray(from, at + 1))
          found.push(take())
          continue
        }
        if (where === 'container') {
          if (byte === QUOTE) isInText = true
          else if (isOpening(byte)) {
            depth += 1
            if (depth > MAX_DEPTH) fail(`a value is nested too deeply (limit ${MAX_DEPTH} levels)`)
          } else if (isClosing(byte)) {
            depth -= 1
            if (depth > 0) continue
            keep(chunk.subarray(from, at + 1))
            found.push(take())
          }
          continue
        }
        if (where === 'bare') {
          if (!SPACES.has(byte) && byte !== COMMA && byte !== CLOSE) continue
          keep(chunk.subarray(from, at))
          found.push(take())
        }
        if (where === 'before' ? !isFirst(byte) : !isStart(byte)) continue
        begin(byte)
        from = at
      }
      if (where === 'container' || where === 'text' || where === 'bare') keep(chunk.subarray(from))
      return found
    },
    /** @throws PermanentError if the file is truncated. */
    end(): JsonText[] {
      if (where === 'bare' && !isArray) return [take()]
      if (where === 'container' || where === 'text')
        fail(`the file ends within a value from line ${valueLine} on`)
      if (layout === 'assigned array' && where === 'before')
        fail('the file does not begin like a part of a data archive')
      if (isArray && where !== 'after') fail('the file ends within its array')
      return []
    },
  }
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d
}
