import { ConvertError } from './convert-error.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = 0xfeff
/** Returned by `peek` at the end of the text. */
export const END = -1

/** An immutable position in a text. */
export type Place = { readonly line: number; readonly column: number }

/**
 * Reads a chunked text code unit by code unit and tracks line and column. Only the current chunk and the
 * token started by `begin` are in memory.
 */
export class TextCursor {
  readonly #chunks: Iterator<string>
  #text = ''
  #at = 0
  /** Start of the current token, or -1. */
  #begin = -1
  /** Line and column of `#text[#counted]`, both from 1. */
  #counted = 0
  #line = 1
  #column = 1
  #hasReturn = false

  /** Skips a byte order mark at the start. */
  constructor(chunks: Iterable<string>) {
    this.#chunks = chunks[Symbol.iterator]()
    if (this.peek() === BYTE_ORDER_MARK) {
      this.#at = 1
      this.#counted = 1
    }
  }

  /** The current code unit, or END. */
  peek(): number {
    if (this.#at < this.#text.length) return this.#text.charCodeAt(this.#at)
    return this.#fill() ? this.#text.charCodeAt(this.#at) : END
  }

  /** The code unit `offset` positions ahead, or END. */
  peekAt(offset: number): number {
    while (this.#at + offset >= this.#text.length) if (!this.#fill()) return END
    return this.#text.charCodeAt(this.#at + offset)
  }

  advance(count = 1): void {
    this.#at += count
  }

  /** Consumes the current code unit if it matches. */
  take(code: number): boolean {
    if (this.peek() !== code) return false
    this.#at += 1
    return true
  }

  /** Advances to the next matching code unit, or to the end. */
  skipTo(isWanted: (code: number) => boolean): void {
    for (let code = this.peek(); code !== END && !isWanted(code); code = this.peek()) this.#at += 1
  }

  /** Marks the start of a token, which `taken` returns. */
  begin(): void {
    this.#begin = this.#at
  }

  /** The text from `begin` up to the current code unit, exclusive. */
  taken(): string {
    const text = this.#text.slice(this.#begin, this.#at)
    this.#begin = -1
    return text
  }

  /** The current line, from 1. */
  line(): number {
    this.#count(this.#at)
    return this.#line
  }

  place(): Place {
    this.#count(this.#at)
    return { line: this.#line, column: this.#column }
  }

  /** An error at the current position. */
  error(message: string): ConvertError {
    const { line, column } = this.place()
    return new ConvertError(message, line, column)
  }

  #fill(): boolean {
    const next = this.#chunks.next()
    if (next.done) return false
    const from = this.#begin < 0 ? this.#at : this.#begin
    this.#count(this.#at)
    this.#text = this.#text.slice(from) + next.value
    this.#at -= from
    this.#counted -= from
    if (this.#begin >= 0) this.#begin = 0
    return this.#at < this.#text.length || this.#fill()
  }

  /** Advances line and column to an offset. A column is a code point; a line ends with CRLF, LF or CR. */
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
