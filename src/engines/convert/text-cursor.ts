import { ConvertFault } from './convert-fault.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = 0xfeff
/** What `peek` gives at the end of the text. */
export const END = -1

/** A place in a text, kept until it is dropped. */
export type Place = { readonly line: number; readonly column: number }

/**
 * Reads a text that comes in chunks, character by character, and knows where it is. Only the chunk at hand and the
 * token begun by `begin` are in memory.
 */
export class TextCursor {
  readonly #chunks: Iterator<string>
  #text = ''
  #at = 0
  /** Where the token at hand begins, or -1. */
  #begin = -1
  /** Line and column of `#text[#counted]`, both from 1. */
  #counted = 0
  #line = 1
  #column = 1
  #hasReturn = false

  /** A byte order mark at the start is left out. */
  constructor(chunks: Iterable<string>) {
    this.#chunks = chunks[Symbol.iterator]()
    if (this.peek() === BYTE_ORDER_MARK) {
      this.#at = 1
      this.#counted = 1
    }
  }

  /** The code unit at hand, or END. */
  peek(): number {
    if (this.#at < this.#text.length) return this.#text.charCodeAt(this.#at)
    return this.#fill() ? this.#text.charCodeAt(this.#at) : END
  }

  /** The code unit so many places further, or END. */
  peekAt(offset: number): number {
    while (this.#at + offset >= this.#text.length) if (!this.#fill()) return END
    return this.#text.charCodeAt(this.#at + offset)
  }

  advance(count = 1): void {
    this.#at += count
  }

  /** Takes the code unit at hand if it is this one. */
  take(code: number): boolean {
    if (this.peek() !== code) return false
    this.#at += 1
    return true
  }

  /** Goes on to the next of these code units, or to the end. */
  skipTo(isWanted: (code: number) => boolean): void {
    for (let code = this.peek(); code !== END && !isWanted(code); code = this.peek()) this.#at += 1
  }

  /** Keeps what follows until `taken` gives it. */
  begin(): void {
    this.#begin = this.#at
  }

  /** The text since `begin`, up to the code unit at hand. */
  taken(): string {
    const text = this.#text.slice(this.#begin, this.#at)
    this.#begin = -1
    return text
  }

  /** The line at hand, from 1. */
  line(): number {
    this.#count(this.#at)
    return this.#line
  }

  place(): Place {
    this.#count(this.#at)
    return { line: this.#line, column: this.#column }
  }

  /** The fault of what stands at hand. */
  fault(message: string): ConvertFault {
    const { line, column } = this.place()
    return new ConvertFault(message, line, column)
  }

  /** The fault of a token of one line that was just read. */
  faultBefore(token: string, message: string): ConvertFault {
    const { line, column } = this.place()
    return new ConvertFault(message, line, column - [...token].length)
  }

  #fill(): boolean {
    const next = this.#chunks.next()
    if (next.done) return false
    const kept = this.#begin < 0 ? this.#at : this.#begin
    this.#count(this.#at)
    this.#text = this.#text.slice(kept) + next.value
    this.#at -= kept
    this.#counted -= kept
    if (this.#begin >= 0) this.#begin = 0
    return this.#at < this.#text.length || this.#fill()
  }

  /** Counts lines and columns up to a place; a column is a code point, a line ends with CRLF, LF or CR. */
  #count(end: number): void {
    for (; this.#counted < end; this.#counted += 1) {
      const code = this.#text.charCodeAt(this.#counted)
      const isSecond = code === NEWLINE && this.#hasReturn
      this.#hasReturn = code === RETURN
      if (isSecond) continue
      if (code === NEWLINE || code === RETURN) {
        this.#line += 1
        this.#column = 1
      } else if (code < 0xdc00 || code > 0xdfff) this.#column += 1
    }
  }
}
