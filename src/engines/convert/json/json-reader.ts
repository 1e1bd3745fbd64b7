import { END, type TextCursor } from '../text-cursor.ts'
import { Fields, JSON_NUMBER, NumberText, type Value } from '../value.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
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
  /** Levels of nested lists and objects that are read. */
  readonly depth: number
  /** Whether a value must end on its line, as in NDJSON. */
  readonly isOneLine?: boolean
}

/** Reads values of JSON by RFC 8259, and nothing else: no comments, no commas at the end. */
export class JsonReader {
  readonly #cursor: TextCursor
  readonly #deepest: number
  readonly #isOneLine: boolean

  constructor(cursor: TextCursor, { depth, isOneLine = false }: JsonReaderOptions) {
    this.#cursor = cursor
    this.#deepest = depth
    this.#isOneLine = isOneLine
  }

  /** The code unit after white space, which tells what comes, or END. */
  next(): number {
    for (;;) {
      const code = this.#cursor.peek()
      const isSpace = code === 0x20 || code === 0x09 || (!this.#isOneLine && (code === 0x0a || code === 0x0d))
      if (!isSpace) return code
      this.#cursor.advance()
    }
  }

  /** One value. `depth` counts the lists and objects around it. */
  value(depth: number): Value {
    const code = this.next()
    if (code === QUOTE) return this.#string()
    if (code === OPEN_OBJECT) return this.#object(depth)
    if (code === OPEN_LIST) return [...this.elements(depth)]
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.#number()
    return this.#word()
  }

  /** The values of a list, one after another; the cursor is at its bracket. */
  *elements(depth: number): Generator<Value> {
    this.#enter(depth)
    if (this.next() === CLOSE_LIST) return this.#cursor.advance()
    do yield this.value(depth + 1)
    while (this.#goesOn(CLOSE_LIST, ']'))
  }

  /** The names of an object; whoever asks for the next one has read the value of this. */
  *names(depth: number): Generator<string> {
    this.#enter(depth)
    if (this.next() === CLOSE_OBJECT) return this.#cursor.advance()
    do {
      if (this.next() !== QUOTE) throw this.#unexpected('a name in double quotes')
      const name = this.#string()
      if (this.next() !== COLON) throw this.#unexpected('":"')
      this.#cursor.advance()
      yield name
    } while (this.#goesOn(CLOSE_OBJECT, '}'))
  }

  /** @throws ConvertFault unless nothing follows (of the line, in NDJSON). */
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
    if (depth >= this.#deepest)
      throw this.#cursor.fault(`lists and objects are nested deeper than ${this.#deepest} levels`)
    this.#cursor.advance()
  }

  /** Takes a comma (true) or the closing bracket (false). */
  #goesOn(close: number, shown: string): boolean {
    const code = this.next()
    if (code !== COMMA && code !== close) throw this.#unexpected(`"," or "${shown}"`)
    this.#cursor.advance()
    return code === COMMA
  }

  #string(): string {
    const cursor = this.#cursor
    cursor.advance()
    let text = ''
    cursor.begin()
    for (;;) {
      const code = cursor.peek()
      if (code === QUOTE) {
        text += cursor.taken()
        cursor.advance()
        return text
      }
      if (code === BACKSLASH) {
        text += cursor.taken() + this.#escape()
        cursor.begin()
      } else if (code === END) throw cursor.fault('a string is not closed')
      else if (code < 0x20) throw cursor.fault(`a string has a raw control character ${showCode(code)}`)
      else cursor.advance()
    }
  }

  #escape(): string {
    const cursor = this.#cursor
    const letter = cursor.peekAt(1)
    if (letter === LETTER_U) {
      const digits = String.fromCharCode(...[2, 3, 4, 5].map((offset) => Math.max(0, cursor.peekAt(offset))))
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw cursor.fault('\\u needs four hex digits')
      cursor.advance(6)
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const character = ESCAPES[letter === END ? '' : String.fromCharCode(letter)]
    if (character === undefined) throw cursor.fault('a backslash stands before none of "\\/bfnrtu')
    cursor.advance(2)
    return character
  }

  #number(): NumberText {
    this.#cursor.begin()
    this.#cursor.skipTo((code) => !isNumberPart(code))
    const text = this.#cursor.taken()
    if (JSON_NUMBER.test(text)) return new NumberText(text)
    throw this.#cursor.faultBefore(text, 'this is no number of JSON')
  }

  #word(): boolean | null {
    this.#cursor.begin()
    this.#cursor.skipTo((code) => code < 0x61 || code > 0x7a)
    const word = this.#cursor.taken()
    if (Object.hasOwn(WORDS, word)) return WORDS[word as keyof typeof WORDS]
    if (word === '') throw this.#unexpected('a value')
    throw this.#cursor.faultBefore(word, 'this word is no value of JSON')
  }

  #unexpected(wanted: string) {
    const code = this.#cursor.peek()
    const found = code === END ? 'the text ends' : `${showCode(code)} stands`
    return this.#cursor.fault(`${found} where ${wanted} should`)
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

/** A character as it may be shown in a message. */
export function showCode(code: number): string {
  const isPlain = code > 0x20 && code < 0x7f
  return isPlain
    ? JSON.stringify(String.fromCharCode(code))
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
