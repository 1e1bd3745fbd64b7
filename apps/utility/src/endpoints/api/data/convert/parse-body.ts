import { MAX_ARGUMENTS } from '@tollbook/endpoints/arguments/given-arguments'
import { parseJsonBody } from '@tollbook/endpoints/arguments/json-body'
import { findMemberSource } from '@tollbook/flow/json/member-source'

/** Limit for a JSON value sent instead of a text, whose values are counted only by the limits of its format. */
export const MAX_VALUES = 500_000

/** What the event loop needs of a body: `data` as a text, or as its source. */
export type ConvertBody =
  | { readonly value: Readonly<Record<string, unknown>>; readonly source: string }
  | { readonly value: unknown; readonly source: null }
  | { readonly issue: string }

/** Parses a body. Lists and objects become empty ones, because no other field is one, and a copy of them takes long. */
export function parseConvertBody(bytes: Uint8Array): ConvertBody {
  const parsed = parseJsonBody(bytes, { values: MAX_VALUES })
  if ('issue' in parsed) return parsed
  const { value, text } = parsed
  if (!isContainer(value) || Array.isArray(value)) return { value: emptied(value), source: null }
  const source = isContainer(value.data) ? findMemberSource(text, 'data') : null
  // One more than are accepted.
  const members = Object.entries(value).slice(0, MAX_ARGUMENTS + 1)
  return { value: Object.fromEntries(members.map(([name, member]) => [name, emptied(member)])), source }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function emptied(value: unknown): unknown {
  if (!isContainer(value)) return value
  return Array.isArray(value) ? [] : {}
}
