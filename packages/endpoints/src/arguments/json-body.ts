import { parseExactJson } from '@tollbook/flow/json/exact-json'
import { createPace } from '@tollbook/flow/pace'
import type { JsonReading } from '../endpoint.ts'
import { findJsonIssue, type JsonBounds, JsonScan } from './json-issue.ts'

/** Chosen: more nesting than endpoints need, far less than what overflows recursive readers. */
const MAX_NESTING = 100
/** Decoded, or scanned, between two checks of the clock; takes a millisecond if each character has two bytes. */
const BYTES_AT_ONCE = 1_048_576

export type JsonBodyOptions = {
  /** Max members of lists and objects. */
  readonly values: number
  /** Whether numbers that a double cannot represent become `RawNumber`. */
  readonly isExact?: boolean
}

const NOT_UTF_8 = { issue: 'is not valid UTF-8' }

/**
 * Parses a JSON body; only its parsing blocks the event loop: 30 ms for 24 MB with few values. The issue does not
 * repeat the body.
 */
export async function readJsonBody(bytes: Uint8Array, options: JsonBodyOptions): Promise<JsonReading> {
  if (bytes.byteLength <= BYTES_AT_ONCE) return parseJsonBody(bytes, options)
  const pace = createPace()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  try {
    for (let at = 0; at < bytes.byteLength; at += BYTES_AT_ONCE) {
      text += decoder.decode(bytes.subarray(at, at + BYTES_AT_ONCE), { stream: true })
      await pace.rest()
    }
    text += decoder.decode()
  } catch {
    return NOT_UTF_8
  }
  const scan = new JsonScan(text, toBounds(options))
  while (!scan.isDone) {
    scan.advance(BYTES_AT_ONCE)
    await pace.rest()
  }
  return scan.issue === null ? parse(text, options) : { issue: scan.issue }
}

/** Parses a JSON body in one go. */
export function parseJsonBody(
  bytes: Uint8Array,
  options: JsonBodyOptions,
): { readonly value: unknown; readonly text: string } | { readonly issue: string } {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return NOT_UTF_8
  }
  const issue = findJsonIssue(text, toBounds(options))
  return issue === null ? parse(text, options) : { issue }
}

function toBounds({ values }: JsonBodyOptions): JsonBounds {
  return { levels: MAX_NESTING, values }
}

function parse(text: string, { isExact }: JsonBodyOptions) {
  try {
    const value: unknown = isExact ? parseExactJson(text) : JSON.parse(text)
    return { value, text }
  } catch {
    return { issue: 'is not valid JSON' }
  }
}
