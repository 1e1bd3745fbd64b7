import * as json from '../../json/json-cursor.ts'
import { END, type TextCursor } from '../text-cursor.ts'
import { Fields, JSON_NUMBER, NumberText, type Value } from '../value.ts'

const LETTER_U = 0x75

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

const WORDS = { true: true, false: false, null: null } as const

export type JsonReaderOptions = {
  /** Maximum nesting depth of lists and objects. */
  readonly depth: number
  /** Whether a value must end on its line, as in NDJSON. */
  readonly isOneLine?: boolean
}

/** Parses JSON strictly by RFC 8259: no comments, no trailing commas. */
export class JsonReader {
  readonly #cursor: TextCursor
  readonly #maxDepth: number
  readonly #isOneLine: boolean

  constructor(cursor: TextCursor, { depth, isOneLine = false }: JsonReaderOptions) {
    this.#cursor = cursor
    this.#maxDepth = depth
    this.#isOneLine = isOneLine
  }

  /** Skips white space. @returns the next code unit, or END */
  next(): number {
    for (;;) {
      const code = this.#cursor.peek()
      const isSpace = code === 0x20 || code === 0x09 || (!this.#isOneLine && (code === 0x0a || code === 0x0d))
      if (!isSpace) return code
      this.#cursor.advance()
    }
  }

  /** Reads one value. `depth` is the number of enclosing lists and objects. */
  value(depth: number): Value {
    const code = this.next()
    if (code === json.QUOTE) return this.#string()
    if (code === json.OPEN_OBJECT) return this.#object(depth)
    if (code === json.OPEN_LIST) return [...this.elements(depth)]
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.#number()
    return this.#word()
  }

  /** Yields the values of a list; the cursor is at its opening bracket. */
  *elements(depth: number): Generator<Value> {
    this.#enter(depth)
    if (this.next() === json.CLOSE_LIST) return this.#cursor.advance()
    do yield this.value(depth + 1)
    while (this.#hasMore(json.CLOSE_LIST, ']'))
  }

  /** Yields the names of an object. The caller reads each value before it requests the next name. */
  *names(depth: number): Generator<string> {
    this.#enter(depth)
    if (this.next() === json.CLOSE_OBJECT) return this.#cursor.advance()
    do {
      if (this.next() !== json.QUOTE) throw this.#unexpected('a name in double quotes')
      const name = this.#string()
      if (this.next() !== json.COLON) throw this.#unexpected('":"')
      this.#cursor.advance()
      yield name
    } while (this.#hasMore(json.CLOSE_OBJECT, '}'))
  }

  /** @throws ConvertError if anything but white space follows (on the line, for NDJSON) */
  expectEnd(): void {
    const code = this.next()
    if (code === END || (this.#isOneLine && (code === 0x0a || code === 0x0d))) return
    throw this.#unexpected(this.#isOneLine ? 'the end of the line' : 'the end of the text')
  }

  #object(depth: number): Fields {
    const names: string[] = []
    const values: Value[] = []
    for (const name of this.names(depth)) {
      names.push(name)
      values.push(this.value(depth + 1))
    }
    return new Fields(names, values)
  }

  #enter(depth: number): void {
    if (depth >= this.#maxDepth)
      throw this.#cursor.fault(`lists and objects are nested too deeply (limit ${this.#maxDepth} levels)`)
    this.#cursor.advance()
  }

  /** Consumes a comma (true) or the closing bracket (false). */
  #hasMore(close: number, shown: string): boolean {
    const code = this.next()
    if (code !== json.COMMA && code !== close) throw this.#unexpected(`"," or "${shown}"`)
    this.#cursor.advance()
    return code === json.COMMA
  }

  #string(): string {
    const cursor = this.#cursor
    cursor.advance()
    let text = ''
    cursor.begin()
    for (;;) {
      const code = cursor.peek()
      if (code === json.QUOTE) {
        text += cursor.taken()
        cursor.advance()
        return text
      }
      if (code === json.BACKSLASH) {
        text += cursor.taken() + this.#escape()
        cursor.begin()
      } else if (code === END) throw cursor.fault('unterminated string')
      else if (code < 0x20) throw cursor.fault(`unescaped control character ${showCode(code)} in a string`)
      else cursor.advance()
    }
  }

  #escape(): string {
    const cursor = this.#cursor
    const letter = cursor.peekAt(1)
    if (letter === LETTER_U) {
      const digits = String.fromCharCode(...[2, 3, 4, 5].map((offset) => Math.max(0, cursor.peekAt(offset))))
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw cursor.fault('\\u must be followed by four hex digits')
      cursor.advance(6)
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const character = ESCAPES[letter === END ? '' : String.fromCharCode(letter)]
    if (character === undefined)
      throw cursor.fault('invalid escape: a backslash must be followed by one of "\\/bfnrtu')
    cursor.advance(2)
    return character
  }

  #number(): NumberText {
    this.#cursor.begin()
    this.#cursor.skipTo((code) => !isNumberPart(code))
    const text = this.#cursor.taken()
    if (JSON_NUMBER.test(text)) return new NumberText(text)
    throw this.#cursor.errorBefore(text, 'not a valid JSON number')
  }

  #word(): boolean | null {
    this.#cursor.begin()
    this.#cursor.skipTo((code) => code < 0x61 || code > 0x7a)
    const word = this.#cursor.taken()
    if (Object.hasOwn(WORDS, word)) return WORDS[word as keyof typeof WORDS]
    if (word === '') throw this.#unexpected('a value')
    throw this.#cursor.errorBefore(word, 'not a JSON value (expected true, false or null)')
  }

  #unexpected(wanted: string) {
    const code = this.#cursor.peek()
    const found = code === END ? 'the end of the text' : showCode(code)
    return this.#cursor.fault(`expected ${wanted}, found ${found}`)
  }
}

function isNumberPart(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2d ||
    code === 0x2e ||
    (code | 0x20) === 0x65
  )
}

/** A code unit formatted for an error message. */
export function showCode(code: number): string {
  const isPlain = code > 0x20 && code < 0x7f
  return isPlain
    ? JSON.stringify(String.fromCharCode(code))
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
