/** Code units of JSON's brackets (RFC 8259 section 2). */
export const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
/** Code units of its other structural characters and of what strings are written with. */
export const [QUOTE, COMMA, COLON, BACKSLASH, SPACE] = [0x22, 0x2c, 0x3a, 0x5c, 0x20]
/** Returned by `next` when there is no further token. */
export const END = -1

/** This bit is all that distinguishes the brackets of a list from those of an object. */
const OBJECT_BIT = 0x20

/**
 * Steps through the strings, brackets and commas of a JSON text, which need not be valid. The text may come in
 * pieces: also UTF-8 as `latin1`, in which each byte is a character.
 */
export class JsonCursor {
  /** Offset after the last token, in the current piece. */
  at = 0
  /** Where the last string begins; negative if in an earlier piece. */
  start = 0
  #text: string
  #isInString = false
  /** Whether the last piece ended within an escape. */
  #isEscaped = false

  constructor(text = '') {
    this.#text = text
  }

  /** Continues with the next piece; offsets are counted from its start. */
  feed(text: string): void {
    if (this.#isInString) {
      this.#isEscaped = this.#isEscapedAt(this.#text.length)
      this.start -= this.#text.length
    }
    this.#text = text
    this.at = 0
  }

  /**
   * Moves behind the next token, if it begins before `until`.
   * @param until where to pause; a string with quotes in it may be paused, too
   * @returns the code unit of a bracket or comma, QUOTE for a whole string, or END
   */
  next(until = this.#text.length): number {
    if (this.#isInString) return this.#endString(this.at, until)
    const text = this.#text
    let at = this.at
    while (at < until) {
      const code = text.charCodeAt(at)
      at += 1
      if (code === QUOTE) {
        this.start = at - 1
        return this.#endString(at, until)
      }
      if (code === COMMA || isBracket(code)) {
        this.at = at
        return code
      }
    }
    this.at = at
    return END
  }

  /** Whether the last string is a name: a colon follows, in the same piece. */
  isName(): boolean {
    const text = this.#text
    let at = this.at
    while (text.charCodeAt(at) <= SPACE) at += 1
    return text.charCodeAt(at) === COLON
  }

  #endString(from: number, until: number): number {
    const text = this.#text
    let at = from
    do {
      // A text of many megabytes may be one string, and `indexOf` costs a tenth of reading each character.
      const close = text.indexOf('"', at)
      at = close < 0 ? text.length : close + 1
      if (close >= 0 && !this.#isEscapedAt(close)) {
        this.#isInString = false
        this.at = at
        return QUOTE
      }
    } while (at < until)
    this.#isInString = true
    this.at = at
    return END
  }

  /** Whether a character of a string is escaped. */
  #isEscapedAt(offset: number): boolean {
    const text = this.#text
    let at = offset - 1
    while (text.charCodeAt(at) === BACKSLASH) at -= 1
    const isOdd = ((offset - 1 - at) & 1) === 1
    return at < 0 && this.#isEscaped ? !isOdd : isOdd
  }
}

function isBracket(code: number): boolean {
  const either = code | OBJECT_BIT
  return either === OPEN_OBJECT || either === CLOSE_OBJECT
}
