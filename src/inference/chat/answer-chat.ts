import { type Answer, eventStream, json } from '../../catalogue/answer.ts'
import type { Address, Call } from '../../catalogue/endpoint.ts'
import type { ChatCompletion, ChatRequest } from '../../models/chat/chat-messages.ts'
import type { OpenTier } from '../../models/tiers/open-tiers.ts'
import { formatUsd } from '../../money/usdc.ts'
import type { InferencePorts } from '../ports.ts'
import { admitInput } from './bound-input.ts'
import type { ChatOffer } from './chat-offer.ts'
import { toModelProblem } from './explain-failure.ts'
import { inlineImages } from './inline-images.ts'
import { maxTokensOf, type TierLimits } from './limits.ts'
import { createMeter, type Meter } from './meter.ts'
import { createOutputBound } from './output-bound.ts'
import { type ChatInput, isRefusedField } from './request-fields.ts'
import { toEvents } from './stream-answer.ts'

type ChatAnswer = ChatCompletion & {
  readonly id: string
  readonly object: 'chat.completion'
  readonly created: number
  readonly model: string
}

/**
 * Calls the model of a tier and answers as JSON or as a stream; a metered answer includes its cost.
 * @throws ProblemError if the model returns no answer: then nothing is charged.
 */
export async function answerChat(
  { input, ports, payer, callId, signal, now }: Call<ChatInput, InferencePorts, Address>,
  offer: ChatOffer,
): Promise<Answer<ChatAnswer>> {
  const opened = ports.tiers.get(offer.tier.name)
  if (!opened) throw new Error('it is not sold without a model')
  const metering = offer.meteringOf(opened)
  await admitInput(input, { metering, countTokens: opened.countTokens })
  const messages = await inlineImages(input.messages, { fetch: ports.fetch, payer, signal })
  const request = toModelRequest({ ...input, messages }, offer.limitsOf(opened))
  const meter = openMeter(offer, opened, { input, request })
  const shown = {
    id: `chatcmpl-${callId}`,
    created: Math.floor(now.getTime() / 1000),
    model: offer.name,
  }
  try {
    if (!input.stream) {
      const answer = await opened.model.complete(request, signal)
      return toAnswer({ ...answer, ...shown, object: 'chat.completion' }, meter)
    }
    const chunks = await opened.model.stream(request, signal)
    const includesUsage = input.stream_options?.include_usage === true
    const bound = createOutputBound(request.max_tokens, opened.countTokens)
    return eventStream(toEvents(chunks, { ...shown, includesUsage, meter, bound }))
  } catch (error) {
    throw toModelProblem(error)
  }
}

/** The meter of a call; null for one that has a fixed price. */
export function openMeter(
  offer: ChatOffer,
  opened: OpenTier,
  { input, request }: { readonly input: ChatInput; readonly request: ChatRequest },
): Meter | null {
  const metering = offer.meteringOf(opened)
  if (!metering) return null
  const { max_tokens: maxTokens = metering.outputTokens } = request
  return createMeter({ metering, input, maxTokens, countTokens: opened.countTokens })
}

function toAnswer(body: ChatAnswer, meter: Meter | null): Answer<ChatAnswer> {
  if (!meter) return json(body)
  const charge = meter.takeWhole(body)
  const headers = { 'x-cost-usd': formatUsd(charge) }
  return json({ ...body, usage: meter.usage() }, { charge, headers })
}

/** The request without what the path, the price and the adapter determine. */
export function toModelRequest(input: ChatInput, limits: TierLimits): ChatRequest {
  const { model: _, stream, stream_options, max_tokens, max_completion_tokens, messages, ...fields } = input
  const provided = Object.entries(fields).filter(
    ([name, value]) => value !== null && value !== undefined && !isRefusedField(name),
  )
  const max = maxTokensOf(input, limits)
  return { ...Object.fromEntries(provided), messages, ...(max !== undefined && { max_tokens: max }) }
}
