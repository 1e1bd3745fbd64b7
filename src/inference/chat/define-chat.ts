import * as z from 'zod'
import { eventStream, json } from '../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint, type Endpoint } from '../../catalogue/endpoint.ts'
import type { Fault } from '../../catalogue/problem.ts'
import type { ChatRequest } from '../../models/chat/chat-messages.ts'
import type { InferencePorts } from '../ports.ts'
import { availabilityOf } from './availability.ts'
import { toModelProblem } from './explain-failure.ts'
import { countFetchedImages, inlineImages, MOST_FETCHED_IMAGES } from './inline-images.ts'
import { findLimitFaults, limitsOf, maxTokensOf, type TierLimits } from './limits.ts'
import { findMessageFaults } from './messages.ts'
import {
  type ChatInput,
  findRefusedFields,
  isRefusedField,
  isUndeclaredField,
  requestFields,
} from './request-fields.ts'
import { toEvents } from './stream-answer.ts'
import { ALL_TIERS, type Tier } from './tier-table.ts'

/** Several images in base64, or a text of millions of characters. */
const LARGEST_BODY_BYTES = 24 * 1024 * 1024
/** Above the longest time of an upstream, so that its own failure is told. */
const TIMEOUT_MS = 290_000

const completion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string().describe('The tier that answered.'),
  choices: z.array(
    z.looseObject({ message: z.looseObject({ role: z.literal('assistant') }), finish_reason: z.string() }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int() }).optional(),
})

type ChatEndpoint = {
  readonly tier: Tier
  readonly id: string
  readonly path: `/${string}`
  readonly summary: string
}

/** Declares the plain path of a tier: one price a call, whole or as a stream. */
export function defineChat({ tier, id, path, summary }: ChatEndpoint): Endpoint {
  const opening = (ports: InferencePorts) => ports.tiers.get(tier.name)
  return defineEndpoint({
    id,
    method: 'POST',
    path,
    pricing: { kind: 'exact', priceUsd: tier.priceUsd },
    summary,
    description:
      `Chat completion from the model of ${tier.name}, whole or streamed, with tools, JSON schema and images. ${tier.constraints}`.trim(),
    input: requestFields,
    output: completion,
    example: exampleOf(tier),
    limits: { bodyBytes: LARGEST_BODY_BYTES, timeoutMs: TIMEOUT_MS },
    dialect: 'chat',
    takesParameter: isUndeclaredField,
    check(input, ports: InferencePorts) {
      const opened = opening(ports)
      const limits = limitsOf(tier, opened)
      const faults = findFaults(input, tier, limits)
      return faults.length > 0 || !opened ? faults : opened.model.findUnserved(toModelRequest(input, limits))
    },
    availability: (ports) => availabilityOf(tier.name, opening(ports)),
    async handle({ input, ports, payer, callId, signal, now }: Call<ChatInput, InferencePorts, Address>) {
      const opened = opening(ports)
      if (!opened) throw new Error('it is not sold without a model')
      const { fetch } = ports
      const messages = await inlineImages(input.messages, { fetch, payer, signal })
      const request = toModelRequest({ ...input, messages }, limitsOf(tier, opened))
      const shown = { id: `chatcmpl-${callId}`, created: Math.floor(now.getTime() / 1000) }
      try {
        if (!input.stream) {
          const answer = await opened.model.complete(request, signal)
          return json({ ...answer, ...shown, object: 'chat.completion' as const, model: tier.name })
        }
        const chunks = await opened.model.stream(request, signal)
        const includesUsage = input.stream_options?.include_usage === true
        return eventStream(toEvents(chunks, { ...shown, tier: tier.name, includesUsage }))
      } catch (error) {
        throw toModelProblem(error)
      }
    },
  })
}

function findFaults(input: ChatInput, tier: Tier, limits: TierLimits): Fault[] {
  const faults = [...findRefusedFields(input), ...findMessageFaults(input.messages)]
  if (faults.length > 0) return faults
  const { model } = input
  if (model && model !== tier.name && ALL_TIERS.some(({ name }) => name === model)) {
    faults.push({
      parameter: 'model',
      detail: `names another tier than the path, which is that of ${tier.name}`,
    })
  }
  if (input.stream_options && !input.stream) {
    faults.push({ parameter: 'stream_options', detail: 'belongs to stream true' })
  }
  if (countFetchedImages(input.messages) > MOST_FETCHED_IMAGES) {
    faults.push({ parameter: 'messages', detail: `may name at most ${MOST_FETCHED_IMAGES} images by URL` })
  }
  return [...faults, ...findLimitFaults(input, limits)]
}

/** The request without what the path, the price and the adapter decide. */
function toModelRequest(input: ChatInput, limits: TierLimits): ChatRequest {
  const { model: _, stream, stream_options, max_tokens, max_completion_tokens, messages, ...fields } = input
  const given = Object.entries(fields).filter(
    ([name, value]) => value !== null && value !== undefined && !isRefusedField(name),
  )
  const most = maxTokensOf(input, limits)
  return { ...Object.fromEntries(given), messages, ...(most !== undefined && { max_tokens: most }) }
}

function exampleOf(tier: Tier) {
  return {
    input: { messages: [{ role: 'user' as const, content: 'Say hello.' }] },
    output: {
      id: 'chatcmpl-5c3f',
      object: 'chat.completion' as const,
      created: 1_795_255_200,
      model: tier.name,
      choices: [
        { index: 0, message: { role: 'assistant' as const, content: 'Hello!' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
    },
  }
}
