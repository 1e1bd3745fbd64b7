/** The limits up to which a JSON text is parsed. */
export type JsonBounds = {
  /** Max nesting. */
  readonly levels: number
  /** Max members of lists and objects, on all levels together. */
  readonly values: number
}

/** Callbacks of a scan; offsets into the text. */
export type JsonMarks = {
  open(at: number, isObject: boolean): void
  close(at: number, isObject: boolean): void
  comma(at: number): void
  /**
   * A string that is not a member name.
   * @param end after the closing quote
   */
  string(start: number, end: number): void
}

const PROTO = '__proto__'
/** Each letter may be written as \uXXXX (RFC 8259 section 7); includes both quotes. */
const MAX_PROTO_LENGTH = PROTO.length * 6 + 2

/**
 * Why a JSON text is not parsed, or null. Scans each character once, so that a text whose parsing, checking
 * and hashing would block the event loop costs only a fraction of that. The text need not be valid JSON.
 */
export function findJsonFault(text: string, bounds: JsonBounds): string | null {
  const scan = new JsonScan(text, bounds)
  scan.advance(text.length)
  return scan.fault
}

/** The same scan in steps. */
export class JsonScan {
  /** Why the text is not parsed, according to the part scanned so far. */
  fault: string | null = null
  isDone = false
  readonly #text: string
  readonly #bounds: JsonBounds
  readonly #marks: JsonMarks | undefined
  #at = 0
  #depth = 0
  #count = 0
  /** The start of a string whose end has not been reached; -1 outside of strings. */
  #stringStart = -1

  /** @param marks receives what the scan finds */
  constructor(text: string, bounds: JsonBounds, marks?: JsonMarks) {
    this.#text = text
    this.#bounds = bounds
    this.#marks = marks
  }

  /** Scans this many more characters, and on to the end of the current token. */
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

  /** Continues or begins a string; returns the offset after it, or where the step ends. */
  #readString(from: number, until: number): number {
    const text = this.#text
    const isNew = this.#stringStart < 0
    const start = isNew ? from : this.#stringStart
    for (let at = isNew ? from + 1 : from; ; ) {
      // A text of many megabytes may be one string, and `indexOf` costs a tenth of reading each character.
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
        // JSON.parse makes it an own key, but later copies of the value would set the prototype.
        if (isProto(text, start, at) && isKey(text, at)) this.fault = `has a forbidden key: ${PROTO}`
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
