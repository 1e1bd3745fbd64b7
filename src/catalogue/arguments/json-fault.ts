/** Up to where a JSON text is parsed at all. */
export type JsonBounds = {
  /** Max nesting. */
  readonly levels: number
  /** Max members of lists and objects, all levels together. */
  readonly values: number
}

/** What a scan passes; offsets into the text. */
export type JsonMarks = {
  open(at: number, isObject: boolean): void
  close(at: number, isObject: boolean): void
  comma(at: number): void
  /**
   * A string that is no name.
   * @param end after the closing quote
   */
  string(start: number, end: number): void
}

const PROTO = '__proto__'
/** Each of its letters may be written as \uXXXX (RFC 8259 section 7); both quotes are counted. */
const MAX_PROTO_LENGTH = PROTO.length * 6 + 2

/**
 * Why a JSON text is not to be parsed, or null. Looks once at each character, so that a text whose parsing, checking
 * and hashing would hold the event loop up costs a fraction of it. The text need not be valid JSON.
 */
export function findJsonFault(text: string, bounds: JsonBounds): string | null {
  const scan = new JsonScan(text, bounds)
  scan.advance(text.length)
  return scan.fault
}

/** The same in steps. */
export class JsonScan {
  /** Why the text is not to be parsed, as far as it has been looked at. */
  fault: string | null = null
  isDone = false
  readonly #text: string
  readonly #bounds: JsonBounds
  readonly #marks: JsonMarks | undefined
  #at = 0
  #depth = 0
  #count = 0
  /** Where a string began whose end was not reached; -1 outside of strings. */
  #stringStart = -1

  /** @param marks is told what the scan passes */
  constructor(text: string, bounds: JsonBounds, marks?: JsonMarks) {
    this.#text = text
    this.#bounds = bounds
    this.#marks = marks
  }

  /** Looks at so many further characters, and to the end of a word of them. */
  advance(characters: number): void {
    const text = this.#text
    const until = Math.min(text.length, this.#at + characters)
    const marks = this.#marks
    const { levels, values } = this.#bounds
    let at = this.#stringStart < 0 ? this.#at : this.#readString(this.#at, until)
    let depth = this.#depth
    let count = this.#count
    while (at < until && this.fault === null) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        at = this.#readString(at, until)
        continue
      }
      if (code === COMMA) {
        count += 1
        marks?.comma(at)
      } else if (code === LIST || code === OBJECT) {
        count += 1
        depth += 1
        if (depth > levels) this.fault = `is nested deeper than ${levels} levels`
        marks?.open(at, code === OBJECT)
      } else if (code === LIST_END || code === OBJECT_END) {
        depth -= 1
        marks?.close(at, code === OBJECT_END)
      }
      if (count > values) this.fault ??= `has more than ${values} values`
      at += 1
    }
    this.#at = at
    this.#depth = depth
    this.#count = count
    this.isDone = at >= text.length || this.fault !== null
  }

  /** Reads on in a string, or begins one; ends after it, or where the step ends. */
  #readString(from: number, until: number): number {
    const text = this.#text
    const isNew = this.#stringStart < 0
    const start = isNew ? from : this.#stringStart
    for (let at = isNew ? from + 1 : from; ; ) {
      // A text of many megabytes is one string, and looking for a character costs a tenth of looking at each.
      const close = text.indexOf('"', at)
      if (close < 0) {
        this.#stringStart = -1
        return text.length
      }
      let backslashes = 0
      while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes++
      at = close + 1
      if (backslashes % 2 === 0) {
        this.#stringStart = -1
        // An own key to JSON.parse, but no longer to every later copy of the value.
        if (isProto(text, start, at) && isKey(text, at)) this.fault = `has a key that is not taken: ${PROTO}`
        if (this.#marks && !isKey(text, at)) this.#marks.string(start, at)
        return at
      }
      if (at >= until) {
        this.#stringStart = start
        return at
      }
    }
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

function isProto(text: string, start: number, end: number): boolean {
  const length = end - start
  if (length < PROTO.length + 2 || length > MAX_PROTO_LENGTH) return false
  if (text.startsWith(PROTO, start + 1)) return length === PROTO.length + 2
  const literal = text.slice(start, end)
  if (!literal.includes('\\u')) return false
  try {
    return JSON.parse(literal) === PROTO
  } catch {
    return false
  }
}

function isKey(text: string, from: number): boolean {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1
  return text.charCodeAt(at) === COLON
}
