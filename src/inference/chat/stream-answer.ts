import type { StreamPiece } from '../../catalogue/answer.ts'
import { answerText } from '../../models/chat/answer-text.ts'
import { type ChatChunk, hasContent } from '../../models/chat/chat-messages.ts'
import { ModelFailed } from '../../models/failure.ts'
import type { Meter } from './meter.ts'
import type { OutputBound } from './output-bound.ts'

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

/**
 * Writes the chunks of a model as server-sent events of the dialect. A model that fails after its first
 * content ends the stream with an error of the dialect, which SDKs throw; then the connection is cut. A
 * metered call reports its counts and their cost at the end. An answer that exceeds its bound ends like one
 * that reached it.
 */
export async function* toEvents(
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
