import { PermanentError } from '@tollbook/flow/failure'
import * as json from '@tollbook/flow/json/json-cursor'

/** One unparsed value of a file; `line` is where it begins, from 1. */
export type UnparsedValue = { readonly bytes: Buffer; readonly line: number }

/** No importable value is nested this deeply; parsing such values would exhaust the stack. */
const MAX_DEPTH = 100

const NEWLINE = 0x0a
const SPACES = new Set(Buffer.from(' \t\r\n'))

/**
 * Splits a stream of bytes into its values, which are consecutive or one array, with the memory of one value. It reads only brackets, quotes and
 * commas: parsing the JSON is up to the caller.
 */
export class JsonSplitter {
  readonly #maxBytes: number
  readonly #cursor = new json.JsonCursor()
  #where: 'before' | 'between' | 'structured' | 'bare' | 'after' = 'before'
  #isArray = false
  #needsComma = false
  #hasComma = false
  #line = 1
  #depth = 0
  #valueLine = 1
  #pieces: Buffer[] = []
  #pieceBytes = 0

  /** @param maxBytes longer values are rejected, since a value is held in memory */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The values that end within these bytes. */
  push(chunk: Buffer): UnparsedValue[] {
    const found: UnparsedValue[] = []
    this.#cursor.feed(chunk.toString('latin1'))
    let from = 0
    for (let at = 0; at < chunk.length; ) {
      if (this.#where === 'structured') {
        const end = this.#skipStructured(chunk, at)
        if (end === null) break
        at = end
        this.#keep(chunk.subarray(from, at))
        found.push(this.#take())
        continue
      }
      // The index is within the length.
      const byte = chunk[at] as number
      if (this.#where === 'bare') {
        if (!SPACES.has(byte) && byte !== json.COMMA && byte !== json.CLOSE_LIST) {
          at += 1
          continue
        }
        this.#keep(chunk.subarray(from, at))
        found.push(this.#take())
      }
      if (byte === NEWLINE) this.#line += 1
      if (this.#where === 'before' ? this.#isFirst(byte) : this.#isStart(byte)) {
        from = at
        if (this.#begin(byte) === 'bare') at += 1
      } else at += 1
    }
    if (this.#where === 'structured' || this.#where === 'bare') this.#keep(chunk.subarray(from))
    return found
  }

  /** @throws PermanentError if the file is truncated. */
  end(): UnparsedValue[] {
    if (this.#where === 'bare' && !this.#isArray) return [this.#take()]
    if (this.#where === 'structured')
      this.#fail(`the file ends within a value from line ${this.#valueLine} on`)
    if (this.#isArray && this.#where !== 'after') this.#fail('the file ends within its array')
    return []
  }

  #fail(what: string): never {
    throw new PermanentError(`line ${this.#line}: ${what}`)
  }

  #keep(piece: Buffer): void {
    this.#pieceBytes += piece.length
    if (this.#pieceBytes > this.#maxBytes)
      this.#fail(`a value from line ${this.#valueLine} on has more than ${this.#maxBytes} bytes`)
    this.#pieces.push(piece)
  }

  #take(): UnparsedValue {
    const [first] = this.#pieces
    const bytes = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#pieceBytes = 0
    this.#needsComma = this.#isArray
    this.#hasComma = false
    this.#where = 'between'
    return { bytes, line: this.#valueLine }
  }

  /** Handles bytes before the first value; true where it begins. */
  #isFirst(byte: number): boolean {
    if (SPACES.has(byte)) return false
    this.#where = 'between'
    this.#isArray = byte === json.OPEN_LIST
    return !this.#isArray
  }

  /** Handles bytes between values; true where a value begins. */
  #isStart(byte: number): boolean {
    if (SPACES.has(byte)) return false
    if (this.#where === 'after') this.#fail('unexpected data after the end of the array')
    if (this.#isArray && byte === json.COMMA) {
      if (!this.#needsComma) this.#fail('a comma without a value before it')
      this.#needsComma = false
      this.#hasComma = true
      return false
    }
    if (this.#isArray && byte === json.CLOSE_LIST) {
      if (this.#hasComma) this.#fail('a comma without a value after it')
      this.#where = 'after'
      return false
    }
    if (this.#needsComma) this.#fail('two values without a comma between them')
    return true
  }

  #begin(byte: number): 'structured' | 'bare' {
    this.#valueLine = this.#line
    this.#depth = 0
    this.#where = byte === json.QUOTE || isOpening(byte) ? 'structured' : 'bare'
    return this.#where
  }

  /** The index behind the current value; null if the value does not end in this chunk. */
  #skipStructured(chunk: Buffer, start: number): number | null {
    const cursor = this.#cursor
    cursor.at = start
    let isEnd = false
    for (let code = cursor.next(); code !== json.END; code = cursor.next()) {
      if (isOpening(code)) this.#depth += 1
      else if (code === json.CLOSE_LIST || code === json.CLOSE_OBJECT) this.#depth -= 1
      isEnd = this.#depth === 0
      if (isEnd || this.#depth > MAX_DEPTH) break
    }
    this.#countLines(chunk, start, cursor.at)
    if (this.#depth > MAX_DEPTH) this.#fail(`a value is nested too deeply (limit ${MAX_DEPTH} levels)`)
    return isEnd ? cursor.at : null
  }

  #countLines(chunk: Buffer, start: number, end: number): void {
    for (let at = chunk.indexOf(NEWLINE, start); at >= 0 && at < end; at = chunk.indexOf(NEWLINE, at + 1))
      this.#line += 1
  }
}

function isOpening(byte: number): boolean {
  return byte === json.OPEN_OBJECT || byte === json.OPEN_LIST
}
