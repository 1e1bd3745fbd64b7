import { json } from '@tollbook/endpoints/answer'
import { type Availability, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { MESSAGES_TIER } from '@tollbook/models/tiers/tier-table'
import * as z from 'zod'
import { availabilityOf } from '../../../../chat/chat-offer.ts'
import { findTier } from '../../../../chat/define-chat.ts'
import { estimateTokens } from '../../../../messages/estimate-tokens.ts'
import { countUrls } from '../../../../messages/inline-sources.ts'
import { readMessagesRequest } from '../../../../messages/read-messages-request.ts'
import { type CountInput, countFields, isUndeclaredField } from '../../../../messages/request-fields.ts'
import type { MessagesPorts } from '../../../../ports.ts'

/** Chosen: free calls get smaller limits than paid ones; a text of half a million words fits. */
const MAX_BODY_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 30_000

export const countTokens = defineEndpoint({
  id: 'messages.count-tokens',
  method: 'POST',
  path: '/v1/messages/count_tokens',
  pricing: { kind: 'free' },
  summary: 'Count the tokens of a request of /v1/messages',
  description:
    "Free count of the input tokens of a request of /v1/messages: by the upstream if it counts, otherwise an estimate. Rate limited by the caller's address.",
  input: countFields,
  output: z.object({ input_tokens: z.int() }),
  example: {
    input: { model: 'any', messages: [{ role: 'user', content: 'Say hello.' }] },
    output: { input_tokens: 3 },
  },
  limits: { bodyBytes: MAX_BODY_BYTES, timeoutMs: TIMEOUT_MS },
  dialect: 'messages',
  takesParameter: isUndeclaredField,
  check(input, _ports: MessagesPorts) {
    const read = readMessagesRequest(input)
    return 'issues' in read ? read.issues : []
  },
  availability: ({ tiers }): Availability =>
    tiers.size > 0 ? { isAvailable: true } : availabilityOf(MESSAGES_TIER, undefined),
  async handle({ input, ports, signal }: Call<CountInput, MessagesPorts, null>) {
    const read = readMessagesRequest(input)
    const { tiers } = ports
    const selected = findTier(input.model ?? '', tiers)?.tier.name ?? MESSAGES_TIER
    // Any tier can estimate.
    const opened = tiers.get(selected) ?? tiers.values().next().value
    if (!opened || 'issues' in read)
      throw new Error('unreachable: availability and validation are checked before the call')
    const { max_tokens: _, ...request } = read.request
    // Nobody pays for fetching a URL, and a caller must not choose an address that an upstream requests.
    const reported = countUrls(request) > 0 ? null : await opened.model.countTokens(request, signal)
    return json({ input_tokens: reported ?? estimateTokens(request, opened.countTokens) })
  },
})
