import { createPace } from '../../flow/pace.ts'
import { parseExactJson } from './exact-json.ts'
import { findJsonFault } from './json-fault.ts'
import { type JsonText, readMemberTexts } from './json-text.ts'
import { parseLongJson } from './parse-long-json.ts'

/** Chosen: more nesting than endpoints need, far less than what overflows recursive readers. */
const MAX_NESTING = 100
/** A longer body is parsed in several turns; this much takes a millisecond, or three with exact numbers. */
const LONG_BYTES = 65_536
/** Decoded in one go; takes a millisecond if each character has two bytes. */
const DECODED_AT_ONCE = 1_048_576

export type JsonReading =
  | {
      readonly value: unknown
      /** Those that `keepsText` requests. */
      readonly texts: ReadonlyMap<string, JsonText>
    }
  | { readonly fault: string }

export type JsonBodyOptions = {
  /** Max members of lists and objects. */
  readonly values: number
  /** Whether numbers that a double cannot represent become `RawNumber`. */
  readonly isExact?: boolean
  /** Members of an object whose source texts are retained, as in `readMemberTexts`. */
  readonly keepsText?: readonly string[]
}

const NO_TEXTS: ReadonlyMap<string, JsonText> = new Map()
const NOT_UTF_8 = { fault: 'is not valid UTF-8' }

/** Parses a JSON body of any length without blocking the event loop. The fault does not repeat the body. */
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

/** Parses a short JSON body in one go. */
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
