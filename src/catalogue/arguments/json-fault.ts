/** Up to where a JSON text is parsed at all. */
export type JsonBounds = {
  /** Deepest nesting. */
  readonly levels: number
  /** Most members of lists and objects, all levels together. */
  readonly values: number
}

const PROTO = '__proto__'
/** Each of its letters may be written as \uXXXX (RFC 8259 section 7); both quotes are counted. */
const LONGEST_PROTO = PROTO.length * 6 + 2

/**
 * Why a JSON text is not to be parsed, or null. Looks once at each character, so that a text whose parsing, checking
 * and hashing would hold the event loop up costs a fraction of it. The text need not be valid JSON.
 */
export function findJsonFault(text: string, { levels, values }: JsonBounds): string | null {
  let depth = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      // An own key to JSON.parse, but no longer to every later copy of the value.
      if (isProto(text, at, end) && isKey(text, end)) return `has a key that is not taken: ${PROTO}`
      at = end - 1
    } else if (code === COMMA) count += 1
    else if (code === LIST || code === OBJECT) {
      count += 1
      depth += 1
      if (depth > levels) return `is nested deeper than ${levels} levels`
    } else if (code === LIST_END || code === OBJECT_END) depth -= 1
    if (count > values) return `has more than ${values} values`
  }
  return null
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/** After the closing quote, or after the end of a text that has none. */
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    // A text of many megabytes is one string, and looking for a character costs a tenth of looking at each.
    const close = text.indexOf('"', from)
    if (close < 0) return text.length + 1
    let backslashes = 0
    while (text.charCodeAt(close - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return close + 1
    from = close + 1
  }
}

function isProto(text: string, start: number, end: number): boolean {
  const length = end - start
  if (length < PROTO.length + 2 || length > LONGEST_PROTO) return false
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
