import { createPace } from '../../flow/pace.ts'
import { parseExactJson } from './exact-json.ts'
import { findJsonFault } from './json-fault.ts'
import { type JsonText, readMemberTexts } from './json-text.ts'
import { parseLongJson } from './parse-long-json.ts'

/**
 * Deepest nesting of a JSON body that is taken. Chosen: far above what an endpoint needs, far below what
 * recursive readers (schema checks, canonical JSON) can bear.
 */
const MAX_NESTING = 100
/** A longer body is parsed in several turns of the event loop; this takes a millisecond, with exact numbers three. */
const LONG_BYTES = 65_536
/** Decoded at once; a millisecond where each character has two bytes. */
const DECODED_AT_ONCE = 1_048_576

export type JsonReading =
  | {
      readonly value: unknown
      /** Those that were asked for by `keepsText`. */
      readonly texts: ReadonlyMap<string, JsonText>
    }
  | { readonly fault: string }

export type JsonBodyOptions = {
  /** Most members of lists and objects. */
  readonly values: number
  /** Whether numbers that no double holds are kept as `RawNumber`. */
  readonly isExact?: boolean
  /** Members of an object whose texts are kept, as `readMemberTexts` does. */
  readonly keepsText?: readonly string[]
}

const NO_TEXTS: ReadonlyMap<string, JsonText> = new Map()
const NOT_UTF_8 = { fault: 'is not valid UTF-8' }

/** Parses a JSON body of any length without holding the event loop up; says what is wrong without repeating it. */
export async function readJsonBody(bytes: Uint8Array, options: JsonBodyOptions): Promise<JsonReading> {
  if (bytes.byteLength <= LONG_BYTES) return parseJsonBody(bytes, options)
  const pace = createPace()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const pieces: string[] = []
  try {
    for (let at = 0; at < bytes.byteLength; at += DECODED_AT_ONCE) {
      pieces.push(decoder.decode(bytes.subarray(at, at + DECODED_AT_ONCE), { stream: true }))
      await pace.rest()
    }
    pieces.push(decoder.decode())
  } catch {
    return NOT_UTF_8
  }
  const { values, isExact = false, keepsText = [] } = options
  const bounds = { levels: MAX_NESTING, values }
  return parseLongJson(pieces.join(''), { bounds, isExact, keepsText, pace })
}

/** Parses a short JSON body at once. */
export function parseJsonBody(bytes: Uint8Array, options: JsonBodyOptions): JsonReading {
  const { values, isExact = false, keepsText = [] } = options
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return NOT_UTF_8
  }
  const fault = findJsonFault(text, { levels: MAX_NESTING, values })
  if (fault !== null) return { fault }
  try {
    const value: unknown = isExact ? parseExactJson(text) : JSON.parse(text)
    return { value, texts: keepsText.length > 0 ? readMemberTexts(text, keepsText) : NO_TEXTS }
  } catch {
    return { fault: 'is not valid JSON' }
  }
}
