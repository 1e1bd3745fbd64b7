import { parseExactJson } from '@tollbook/flow/json/exact-json'
import { ProblemError } from '@tollbook/http/problem'
import type { PadVersionTable } from '../state/scratchpad-tables.ts'

/** Content of a pad: a string, or any other JSON, in UTF-8. */
export type Content = Pick<PadVersionTable, 'kind' | 'content'>

/** A value as it is stored; a string as itself, anything else as JSON. */
export function toContent(value: unknown): Content {
  if (typeof value === 'string') return { kind: 'text', content: encode(value) }
  return { kind: 'json', content: encode(JSON.stringify(value)) }
}

/** Stored content as it is returned; its numbers keep all their digits. */
export function toValue({ kind, content }: Content): unknown {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
  return kind === 'text' ? text : parseExactJson(text)
}

/**
 * Appends a value to the content of a pad: a string to a string, any value to a JSON array. A missing pad
 * starts as the string, or as an array of the value.
 * @throws ProblemError `cannot_be_served` if neither is possible.
 */
export function appendContent(present: Content | null, value: unknown): Content {
  if (!present) return toContent(typeof value === 'string' ? value : [value])
  if (present.kind === 'text') {
    if (typeof value !== 'string') throw new ProblemError(NO_TEXT)
    return { kind: 'text', content: Buffer.concat([present.content, encode(value)]) }
  }
  const list = toValue(present)
  if (!Array.isArray(list)) throw new ProblemError(NO_LIST)
  return toContent([...list, value])
}

const NO_TEXT = {
  code: 'cannot_be_served',
  detail: 'The pad holds a string; only a string can be appended to it.',
} as const
const NO_LIST = {
  code: 'cannot_be_served',
  detail: 'The pad holds JSON that is not an array; it can be replaced, not appended to.',
} as const

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
