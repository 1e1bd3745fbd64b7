import { parseExactJson } from '../../catalogue/arguments/exact-json.ts'
import { ProblemError } from '../../catalogue/problem.ts'
import type { PadVersionTable } from '../../state/tables/scratchpad.ts'

/** What a pad holds: a text, or any other JSON, in UTF-8. */
export type Content = Pick<PadVersionTable, 'kind' | 'content'>

/** A given value as it is kept; a text as itself, anything else as JSON. */
export function toContent(value: unknown): Content {
  if (typeof value === 'string') return { kind: 'text', content: encode(value) }
  return { kind: 'json', content: encode(JSON.stringify(value)) }
}

/** A kept content as it is answered; its numbers keep all their digits. */
export function toValue({ kind, content }: Content): unknown {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
  return kind === 'text' ? text : parseExactJson(text)
}

/**
 * Puts a value at the end of what a pad holds: a text at the end of a text, anything into a JSON list. An absent
 * pad begins as the text, or as a list of the value.
 * @throws ProblemError `cannot_be_served` where neither goes.
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
  detail: 'The pad holds a text; only a text can be appended to it.',
} as const
const NO_LIST = {
  code: 'cannot_be_served',
  detail: 'The pad holds JSON that is no list; it can be replaced, not appended to.',
} as const

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
