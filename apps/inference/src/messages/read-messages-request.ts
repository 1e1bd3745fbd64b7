import type { Issue } from '@tollbook/http/problem'
import { type MessagesRequest, messagesRequest } from '@tollbook/models/messages/request'
import type { OpenTiers } from '@tollbook/models/tiers/open-tiers'
import type { Tier } from '@tollbook/models/tiers/tier-table'
import { findTier } from '../chat/define-chat.ts'
import { limitsOf } from '../chat/limits.ts'
import { toNestedIssues } from '../schema-issues.ts'
import { countUrls, MAX_FETCHED } from './inline-sources.ts'
import { findRefusedMessagesFields, requestFields } from './request-fields.ts'
import { textsOfRequest } from './texts-of-request.ts'

/** A request that counts tokens has no bound of an answer. */
const ANY_BOUND = 1

type Reading = { readonly request: MessagesRequest } | { readonly issues: readonly Issue[] }

/** Reads all fields of a request, or reports every invalid one; a request without `max_tokens` only counts tokens. */
export function readMessagesRequest(input: Readonly<Record<string, unknown>>): Reading {
  const refused = findRefusedMessagesFields(input)
  if (refused.length > 0) return { issues: refused }
  const { model: _, stream: __, ...declared } = input
  const fields = Object.fromEntries(
    Object.entries({ max_tokens: ANY_BOUND, ...declared }).filter(
      ([name, value]) => name in requestFields.shape && value !== undefined && value !== null,
    ),
  )
  const read = messagesRequest.safeParse(fields)
  return read.success ? { request: read.data } : { issues: toNestedIssues(read.error, fields, '') }
}

/** The parts of a request that a tier, or its configured model, cannot serve. */
export function findMessagesIssues(
  input: Readonly<Record<string, unknown>>,
  tier: Tier,
  tiers: OpenTiers,
): readonly Issue[] {
  const read = readMessagesRequest(input)
  if ('issues' in read) return read.issues
  const { request } = read
  const opened = tiers.get(tier.name)
  const { inputCharacters, messageCharacters, maxTokens } = limitsOf(tier, opened)
  const issues: Issue[] = []
  const refuse = (parameter: string, detail: string) => issues.push({ parameter, detail })
  const named = typeof input.model === 'string' ? findTier(input.model, tiers) : null
  if (named && (named.tier !== tier || named.isMetered))
    refuse('model', `must be ${tier.name} or no other tier: it is not sold here`)
  if (countUrls(request) > MAX_FETCHED) {
    refuse('messages', `must reference at most ${MAX_FETCHED} images and documents by URL`)
  }
  const characters = inputCharacters === null ? 0 : countCharacters(request)
  if (inputCharacters !== null && characters > inputCharacters) {
    refuse('messages', `must have at most ${inputCharacters} characters in total, not ${characters}`)
  }
  for (const [at, message] of request.messages.entries()) {
    const count = messageCharacters === null ? 0 : countCharacters({ messages: [message] })
    if (messageCharacters !== null && count > messageCharacters)
      refuse(`messages.${at}.content`, `must have at most ${messageCharacters} characters, not ${count}`)
  }
  const { min, max } = maxTokens
  if (request.max_tokens < min || request.max_tokens > (max ?? request.max_tokens))
    refuse('max_tokens', min > 1 ? `must be from ${min} to ${max}` : `must be at most ${max}`)
  if (issues.length > 0 || !opened) return issues
  return opened.model.messages.findUnserved(request)
}

/** Characters (code points) of a request that the model reads as text. */
function countCharacters(request: Parameters<typeof textsOfRequest>[0]): number {
  let count = 0
  for (const text of textsOfRequest(request)) for (const _ of text) count += 1
  return count
}
