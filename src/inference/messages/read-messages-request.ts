import type { Fault } from '../../http/problem.ts'
import { type MessagesRequest, messagesRequest } from '../../models/messages/request.ts'
import type { OpenTier } from '../../models/tiers/open-tiers.ts'
import { toNestedFaults } from '../schema-faults.ts'
import { countUrls, MAX_FETCHED } from './inline-sources.ts'
import { findRefusedMessagesFields, requestFields } from './request-fields.ts'
import { textsOfRequest } from './texts-of-request.ts'

/** A request that counts tokens has no bound of an answer. */
const ANY_BOUND = 1

type Reading = { readonly request: MessagesRequest } | { readonly faults: readonly Fault[] }

/**
 * Reads all fields of a request, or reports every invalid one; a request without `max_tokens` only counts
 * tokens.
 */
export function readMessagesRequest(input: Readonly<Record<string, unknown>>): Reading {
  const refused = findRefusedMessagesFields(input)
  if (refused.length > 0) return { faults: refused }
  const { model: _, stream: __, ...declared } = input
  const fields = Object.fromEntries(
    Object.entries({ max_tokens: ANY_BOUND, ...declared }).filter(
      ([name, value]) => name in requestFields.shape && value !== undefined && value !== null,
    ),
  )
  const read = messagesRequest.safeParse(fields)
  return read.success ? { request: read.data } : { faults: toNestedFaults(read.error, fields, '') }
}

/** The parts of a request that the configured model cannot serve. */
export function findMessagesFaults(
  input: Readonly<Record<string, unknown>>,
  opened: OpenTier | undefined,
): readonly Fault[] {
  const read = readMessagesRequest(input)
  if ('faults' in read) return read.faults
  const { request } = read
  const faults: Fault[] = []
  const refuse = (parameter: string, detail: string) => faults.push({ parameter, detail })
  if (countUrls(request) > MAX_FETCHED) {
    refuse('messages', `must reference at most ${MAX_FETCHED} images and documents by URL`)
  }
  const { input_characters, output_tokens } = opened?.limits ?? {}
  const characters = input_characters === undefined ? 0 : countCharacters(request)
  if (input_characters !== undefined && characters > input_characters) {
    refuse('messages', `must have at most ${input_characters} characters in total, not ${characters}`)
  }
  if (output_tokens !== undefined && request.max_tokens > output_tokens) {
    refuse('max_tokens', `must be at most ${output_tokens}`)
  }
  if (faults.length > 0 || !opened) return faults
  return opened.model.messages.findUnserved(request)
}

/** Characters (code points) of a request that the model reads as text. */
function countCharacters(request: MessagesRequest): number {
  let count = 0
  for (const text of textsOfRequest(request)) for (const _ of text) count += 1
  return count
}
