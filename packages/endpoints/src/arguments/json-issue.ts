import * as json from '@tollbook/flow/json/json-cursor'

/** The limits up to which a JSON text is parsed. */
export type JsonBounds = {
  readonly levels: number
  /** Max members of lists and objects, on all levels together. */
  readonly values: number
}

const PROTO = '__proto__'
/** Each letter may be written as \uXXXX (RFC 8259 section 7); includes both quotes. */
const MAX_PROTO_LENGTH = PROTO.length * 6 + 2

/** Why a JSON text is not parsed, or null, from one scan; the text need not be valid JSON. */
export function findJsonIssue(text: string, bounds: JsonBounds): string | null {
  const scan = new JsonScan(text, bounds)
  scan.advance(text.length)
  return scan.issue
}

/** The same scan in steps. */
export class JsonScan {
  /** Why the text is not parsed, according to the part scanned so far. */
  issue: string | null = null
  isDone = false
  readonly #text: string
  readonly #bounds: JsonBounds
  readonly #cursor: json.JsonCursor
  #depth = 0
  #count = 0

  constructor(text: string, bounds: JsonBounds) {
    this.#text = text
    this.#bounds = bounds
    this.#cursor = new json.JsonCursor(text)
  }

  /** Scans this many more characters, and on to the end of the current token. */
  advance(characters: number): void {
    const text = this.#text
    const cursor = this.#cursor
    const { levels, values } = this.#bounds
    const until = Math.min(text.length, cursor.at + characters)
    let depth = this.#depth
    let count = this.#count
    let issue: string | null = null
    for (let code = cursor.next(until); code !== json.END; code = cursor.next(until)) {
      if (code === json.QUOTE) {
        // JSON.parse makes it an own key, but later copies of the value would set the prototype.
        if (isProto(text, cursor.start, cursor.at) && cursor.isName()) issue = `has a forbidden key: ${PROTO}`
      } else if (code === json.CLOSE_LIST || code === json.CLOSE_OBJECT) depth -= 1
      else {
        count += 1
        if (code !== json.COMMA) depth += 1
        if (depth > levels) issue = `is nested deeper than ${levels} levels`
        if (count > values) issue ??= `has more than ${values} values`
      }
      if (issue !== null) break
    }
    this.issue = issue
    this.isDone = cursor.at >= text.length || issue !== null
    this.#depth = depth
    this.#count = count
  }
}

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
