import { parseExactJson } from './exact-json.ts'

/**
 * Deepest nesting of a JSON body that is taken. Chosen: far above what an endpoint needs, far below what
 * recursive readers (schema checks, canonical JSON) can bear.
 */
const DEEPEST_NESTING = 100

export type JsonReading = { readonly value: unknown; readonly text: string } | { readonly fault: string }

/**
 * Parses a JSON body; says what is wrong with it without repeating it.
 * @param isExact whether numbers that no double holds are kept as `RawNumber`.
 */
export function parseJsonBody(bytes: Uint8Array, isExact = false): JsonReading {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { fault: 'is not valid UTF-8' }
  }
  if (isDeeper(text, DEEPEST_NESTING)) return { fault: `is nested deeper than ${DEEPEST_NESTING} levels` }
  try {
    // A key named __proto__ is an own key to JSON.parse, but no longer to every later copy of the value.
    const mayPollute = text.includes('__proto__') || text.includes('\\u00')
    const visit = mayPollute ? refuseProto : undefined
    return { value: isExact ? parseExactJson(text, visit) : JSON.parse(text, visit), text }
  } catch (error) {
    return {
      fault: error instanceof RefusedKey ? 'has a key that is not taken: __proto__' : 'is not valid JSON',
    }
  }
}

class RefusedKey extends Error {}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new RefusedKey()
  return value
}

/** Counts brackets outside strings; the text need not be valid JSON. */
function isDeeper(text: string, levels: number): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === 0x5c) at++
      else if (code === 0x22) isInString = false
    } else if (code === 0x22) isInString = true
    else if (code === 0x5b || code === 0x7b) {
      depth++
      if (depth > levels) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}
