import { eventStream, json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint, type Endpoint } from '@tollbook/endpoints/endpoint'
import type { Message, MessageUsage } from '@tollbook/models/messages/answer'
import { MESSAGES_TIER, type Tier } from '@tollbook/models/tiers/tier-table'
import * as z from 'zod'
import { availabilityOf } from '../chat/chat-offer.ts'
import { type ChatEndpoint, selectByModel } from '../chat/define-chat.ts'
import { toModelProblem } from '../chat/explain-failure.ts'
import { createOutputBound } from '../chat/output-bound.ts'
import type { MessagesPorts } from '../ports.ts'
import { completeUsage } from './estimate-tokens.ts'
import { inlineSources } from './inline-sources.ts'
import { findMessagesIssues, readMessagesRequest } from './read-messages-request.ts'
import { isUndeclaredField, type MessagesInput, requestFields } from './request-fields.ts'
import { textOf, writeEvents } from './write-events.ts'

/** Several images in base64, or a text of millions of characters. */
const MAX_BODY_BYTES = 24 * 1024 * 1024
/** Above the max timeout of an upstream, so that the upstream's own failure is reported. */
const TIMEOUT_MS = 290_000

const message = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
})

/** The tier of the path without one (specification 4.4). */
export const MESSAGES: Tier = { name: MESSAGES_TIER, priceUsd: '0.01', constraints: '' }

/** Declares a path of a tier in the messages dialect, at the price of a chat of that tier. */
export function defineMessages(path: Omit<ChatEndpoint, 'isMetered'>): Endpoint {
  const { tier, variant, pathOf, otherName = tier.name } = path
  return defineEndpoint({
    id: path.id,
    method: 'POST',
    effect: 'none',
    path: path.path,
    pricing: { kind: 'exact', priceUsd: tier.priceUsd },
    summary: path.summary,
    ...(variant && { variant }),
    description:
      'Reply of a language model in the messages dialect, whole or streamed, with tools, JSON schema, images, documents and thinking. The payment is the authentication: no API key is needed.',
    input: requestFields,
    output: message,
    example: {
      input: { model: 'any', max_tokens: 512, messages: [{ role: 'user', content: 'Say hello.' }] },
      output: {
        id: 'msg_5c3f',
        type: 'message',
        role: 'assistant',
        model: otherName,
        content: [{ type: 'text', text: 'Hello!', citations: null }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 3 },
      },
    },
    limits: { bodyBytes: MAX_BODY_BYTES, timeoutMs: TIMEOUT_MS },
    dialect: 'messages',
    takesParameter: isUndeclaredField,
    check: (input, { tiers }: MessagesPorts) => findMessagesIssues(input, tier, tiers),
    ...(pathOf && { selection: selectByModel(pathOf) }),
    availability: ({ tiers }) => availabilityOf(tier.name, tiers.get(tier.name)),
    handle: (call: Call<MessagesInput, MessagesPorts, Address>) => answerMessages(call, tier, otherName),
  })
}

/** Answers a call, as JSON or as a stream. */
async function answerMessages(call: Call<MessagesInput, MessagesPorts, Address>, tier: Tier, model: string) {
  const { input, ports, payer, callId, signal } = call
  const opened = ports.tiers.get(tier.name)
  const read = readMessagesRequest(input)
  if (!opened || 'issues' in read)
    throw new Error('unreachable: availability and validation are checked before the call')
  const request = await inlineSources(read.request, { fetch: ports.fetch, payer, signal })
  const { countTokens } = opened
  const toUsage = (usage: MessageUsage, said: string) => completeUsage(usage, { request, said, countTokens })
  const shown = { id: `msg_${callId.replaceAll('-', '')}`, model }
  try {
    if (input.stream) {
      const bound = createOutputBound(request.max_tokens, countTokens)
      const events = await opened.model.messages.stream(request, signal)
      return eventStream(writeEvents(events, { ...shown, toUsage, bound }))
    }
    const answer = await opened.model.messages.complete(request, signal)
    return json({
      ...answer,
      ...shown,
      type: 'message' as const,
      stop_reason: answer.stop_reason ?? null,
      stop_sequence: answer.stop_sequence ?? null,
      usage: toUsage(answer.usage ?? {}, saidBy(answer)),
    })
  } catch (error) {
    throw toModelProblem(error)
  }
}

function saidBy({ content }: Message): string {
  return content.map((block) => textOf(block) + (block.input ? JSON.stringify(block.input) : '')).join('')
}
