import { parseExactJson } from './exact-json.ts'
import { findJsonFault } from './json-fault.ts'

/**
 * Deepest nesting of a JSON body that is taken. Chosen: far above what an endpoint needs, far below what
 * recursive readers (schema checks, canonical JSON) can bear.
 */
const DEEPEST_NESTING = 100

export type JsonReading = { readonly value: unknown; readonly text: string } | { readonly fault: string }

export type JsonBodyOptions = {
  /** Most members of lists and objects. */
  readonly values: number
  /** Whether numbers that no double holds are kept as `RawNumber`. */
  readonly isExact?: boolean
}

/** Parses a JSON body; says what is wrong with it without repeating it. */
export function parseJsonBody(bytes: Uint8Array, { values, isExact = false }: JsonBodyOptions): JsonReading {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { fault: 'is not valid UTF-8' }
  }
  const fault = findJsonFault(text, { levels: DEEPEST_NESTING, values })
  if (fault !== null) return { fault }
  try {
    return { value: isExact ? parseExactJson(text) : JSON.parse(text), text }
  } catch {
    return { fault: 'is not valid JSON' }
  }
}
