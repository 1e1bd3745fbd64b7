import { formatUsd } from '@tollbook/chain/usdc'
import { eventStream, json } from '@tollbook/endpoints/answer'
import type { Address, Call } from '@tollbook/endpoints/endpoint'
import type { Answer, StreamPiece } from '@tollbook/gate/contract/answer'
import { ProblemError } from '@tollbook/http/problem'
import type { ChatChunk, ChatCompletion } from '@tollbook/models/chat/chat-messages'
import { ModelFailed } from '@tollbook/models/failure'
import { carriesContent, type MessageEvent, type MessageUsage } from '@tollbook/models/messages/answer'
import type { OpenTier } from '@tollbook/models/tiers/open-tiers'
import { toMessageEvents } from '@tollbook/models/translation/to-message-events'
import { openMeter, toModelRequest } from '../chat/answer-chat.ts'
import { admitInput, estimateInputTokens } from '../chat/bound-input.ts'
import type { ChatOffer } from '../chat/chat-offer.ts'
import { toModelProblem } from '../chat/explain-failure.ts'
import { inlineImages } from '../chat/inline-images.ts'
import type { Meter } from '../chat/meter.ts'
import { createOutputBound, type OutputBound } from '../chat/output-bound.ts'
import type { ChatInput } from '../chat/request-fields.ts'
import { encodeEvent, endOf, textOf } from '../messages/write-events.ts'
import type { InferencePorts } from '../ports.ts'
import type { ResponsesInput } from './request-fields.ts'
import { toChatInput, toResponsesIssues } from './to-chat-input.ts'
import { type ResponseObject, ResponseWriter } from './write-response.ts'

/** About the max that hosted models count for one image, for an upstream that counts nothing. */
const IMAGE_TOKENS = 1600

/**
 * Calls the model of a tier with a request of the responses dialect, and answers as JSON or as a stream.
 * @throws ProblemError if the model returns no answer: then nothing is charged.
 */
export async function answerResponses(
  { input, ports, payer, callId, signal, now }: Call<ResponsesInput, InferencePorts, Address>,
  offer: ChatOffer,
): Promise<Answer<ResponseObject>> {
  const startedMs = performance.now()
  const opened = ports.tiers.get(offer.tier.name)
  const translated = toChatInput(input)
  if (!opened || 'issues' in translated)
    throw new Error('unreachable: availability and validation are checked before the call')
  const metering = offer.meteringOf(opened)
  const messages = await admitInput(translated.chat, { metering, countTokens: opened.countTokens })
    .then(() => inlineImages(translated.chat.messages, { fetch: ports.fetch, payer, signal }))
    .catch((error) => {
      throw renameIssues(error, translated.places)
    })
  const chat = { ...translated.chat, messages }
  const request = toModelRequest(chat, offer.limitsOf(opened))
  const meter = openMeter(offer, opened, { input: chat, request })
  const writer = new ResponseWriter({
    key: callId.replaceAll('-', ''),
    model: offer.name,
    createdAt: Math.floor(now.getTime() / 1000),
    completedAt: () => Math.floor((now.getTime() + performance.now() - startedMs) / 1000),
    input,
    toUsage: (usage, said) => toResponseUsage(usage, { meter, chat, said, opened }),
  })
  try {
    if (input.stream) {
      const chunks = await opened.model.stream(request, signal)
      const bound = createOutputBound(request.max_tokens, opened.countTokens)
      return eventStream(writeEvents(chunks, { writer, meter, bound }))
    }
    const completion = await opened.model.complete(request, signal)
    const charge = meter?.takeWhole(completion)
    for await (const event of toEvents([toChunk(completion)])) writer.take(event)
    if (charge === undefined) return json(writer.response())
    return json(writer.response(), { charge, headers: { 'x-cost-usd': formatUsd(charge) } })
  } catch (error) {
    throw toModelProblem(error)
  }
}

type Streaming = {
  readonly writer: ResponseWriter
  readonly meter: Meter | null
  readonly bound: OutputBound
}

/**
 * Writes a stream as server-sent events of the dialect. A model that fails after its first content ends the
 * stream with an error event, which SDKs throw; then the connection is cut. An answer that exceeds its bound
 * ends like one that reached it.
 */
async function* writeEvents(
  chunks: AsyncIterable<ChatChunk>,
  { writer, meter, bound }: Streaming,
): AsyncGenerator<StreamPiece> {
  let price: Pick<StreamPiece, 'chargeSoFar'> = {}
  async function* measured(): AsyncGenerator<ChatChunk> {
    for await (const chunk of chunks) {
      if (meter) price = { chargeSoFar: meter.take(chunk) }
      yield chunk
    }
  }
  function* write(event: MessageEvent): Generator<StreamPiece> {
    const isEnd = event.type === 'message_stop'
    const isContent = carriesContent(event)
    for (const written of writer.take(event))
      yield { bytes: encodeEvent(written), isContent, isEnd, ...price }
  }
  for (const event of writer.start()) yield { bytes: encodeEvent(event), isContent: false }
  try {
    for await (const event of toEvents(measured())) {
      yield* write(event)
      if (event.type !== 'content_block_delta' || !bound.isPassedWith(textOf(event.delta))) continue
      for (const end of endOf(event.index)) yield* write(end)
      return
    }
  } catch (error) {
    if (error instanceof ModelFailed) yield { bytes: encodeEvent(BROKEN), isContent: false }
    throw error
  }
}

const BROKEN = {
  type: 'error',
  code: 'server_error',
  message:
    'The model broke off. The call was paid; a retry with the same payment runs it once more, free of charge.',
  param: null,
}

const toEvents = (chunks: AsyncIterable<ChatChunk> | readonly ChatChunk[]) =>
  toMessageEvents(iterate(chunks), { stopSequences: [], showsThinking: true })

async function* iterate(chunks: AsyncIterable<ChatChunk> | readonly ChatChunk[]): AsyncGenerator<ChatChunk> {
  yield* chunks
}

/** A whole answer as the only chunk of a stream. */
function toChunk({ choices, usage }: ChatCompletion): ChatChunk {
  const [choice] = choices
  return { choices: choice ? [{ delta: choice.message, finish_reason: choice.finish_reason }] : [], usage }
}

function toResponseUsage(
  usage: MessageUsage | null,
  context: {
    readonly meter: Meter | null
    readonly chat: ChatInput
    readonly said: string
    readonly opened: OpenTier
  },
) {
  const { meter, chat, said, opened } = context
  const { cache_read_input_tokens, cache_creation_input_tokens, output_tokens_details } = usage ?? {}
  const cached = cache_read_input_tokens ?? 0
  const written = cache_creation_input_tokens ?? 0
  const reported = (usage?.input_tokens ?? 0) + cached + written
  const input = reported || estimateInputTokens(chat, { imageTokens: IMAGE_TOKENS }, opened.countTokens)
  const output = usage?.output_tokens || opened.countTokens(said)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: output_tokens_details?.thinking_tokens ?? 0 },
    total_tokens: input + output,
    ...(meter && { cost_usd: meter.usage().cost_usd }),
  }
}

/** A failed image, or too long a conversation, under the name of the request's field. */
function renameIssues(error: unknown, places: readonly string[]): unknown {
  if (!(error instanceof ProblemError) || !error.problem.issues) return error
  const issues = toResponsesIssues(error.problem.issues, places)
  return new ProblemError({ ...error.problem, issues }, { cause: error })
}
