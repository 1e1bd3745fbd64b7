import { formatUsd } from '@tollbook/chain/usdc'
import { eventStream, json } from '@tollbook/endpoints/answer'
import type { Address, Call } from '@tollbook/endpoints/endpoint'
import type { Answer, StreamPiece } from '@tollbook/gate/contract/answer'
import { answerText } from '@tollbook/models/chat/answer-text'
import {
  type ChatChunk,
  type ChatCompletion,
  type ChatRequest,
  hasContent,
} from '@tollbook/models/chat/chat-messages'
import { ModelFailed } from '@tollbook/models/failure'
import type { OpenTier } from '@tollbook/models/tiers/open-tiers'
import type { InferencePorts } from '../ports.ts'
import { admitInput } from './bound-input.ts'
import type { ChatOffer } from './chat-offer.ts'
import { toModelProblem } from './explain-failure.ts'
import { inlineImages } from './inline-images.ts'
import { maxTokensOf, type TierLimits } from './limits.ts'
import { createMeter, type Meter } from './meter.ts'
import { createOutputBound, type OutputBound } from './output-bound.ts'
import { type ChatInput, isRefusedField } from './request-fields.ts'

type StreamOptions = {
  /** The model name in the answer. */
  readonly model: string
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  /** Whether the caller requested the chunk with the counts. */
  readonly includesUsage: boolean
  /** Present for a metered call. */
  readonly meter: Meter | null
  readonly bound: OutputBound
}

const encoder = new TextEncoder()
const DONE = encoder.encode('data: [DONE]\n\n')

const CUT: Omit<ChatChunk, 'usage'> = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }

const BROKEN = {
  error: {
    message:
      'The model broke off. The call was paid; a retry with the same payment runs it once more, free of charge.',
    type: 'server_error',
    param: null,
    code: 'upstream_failed',
  },
}

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
  if (!opened) throw new Error('unreachable: availability and validation are checked before the call')
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
      const choices = answer.choices.map(completeChoice)
      return toAnswer({ ...answer, ...shown, object: 'chat.completion', choices }, meter)
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

/** A choice with the members that the dialect requires, some of which are null in most answers. */
function completeChoice(
  choice: ChatCompletion['choices'][number],
  index: number,
): ChatCompletion['choices'][number] {
  return { index, logprobs: null, ...choice, message: { content: null, refusal: null, ...choice.message } }
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

/**
 * Writes the chunks of a model as server-sent events of the dialect. A model that fails after its first
 * content ends the stream with an error of the dialect, which SDKs throw; then the connection is cut. A
 * metered call reports its counts and their cost at the end. An answer that exceeds its bound ends like one
 * that reached it.
 */
async function* toEvents(
  chunks: AsyncIterable<ChatChunk>,
  options: StreamOptions,
): AsyncGenerator<StreamPiece> {
  const { meter, includesUsage, bound } = options
  let price: Pick<StreamPiece, 'chargeSoFar'> = {}
  try {
    for await (const { usage, ...chunk } of chunks) {
      if (meter) price = { chargeSoFar: meter.take({ ...chunk, usage }) }
      if (chunk.choices.length === 0 && (meter || !includesUsage)) continue
      yield { ...toEvent(chunk, meter ? null : usage, options), isContent: hasContent(chunk), ...price }
      if (!bound.isPassedWith(textOf(chunk))) continue
      yield { ...toEvent(CUT, null, options), isContent: true, ...price }
      break
    }
  } catch (error) {
    if (error instanceof ModelFailed) yield { bytes: encode(BROKEN), isContent: false }
    throw error
  }
  if (meter && includesUsage) {
    yield { ...toEvent({ choices: [] }, meter.usage(), options), isContent: false, ...price }
  }
  yield { bytes: DONE, isContent: false, isEnd: true, ...price }
}

function textOf({ choices }: Pick<ChatChunk, 'choices'>): string {
  return choices.map(({ delta }) => answerText(delta ?? {})).join('')
}

/** A chunk as callers see it. */
function toEvent(
  chunk: Omit<ChatChunk, 'usage'>,
  usage: ChatChunk['usage'],
  { model, id, created, includesUsage }: StreamOptions,
): Pick<StreamPiece, 'bytes'> {
  return {
    bytes: encode({
      ...chunk,
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      // The dialect's other chunks contain null if counts were requested.
      ...(includesUsage && { usage: usage ?? null }),
    }),
  }
}

function encode(value: object): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(value)}\n\n`)
}
