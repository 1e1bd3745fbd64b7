import type { StreamPiece } from '../../catalogue/answer.ts'
import { type ChatChunk, hasContent } from '../../models/chat/chat-messages.ts'
import { ModelFailed } from '../../models/failure.ts'

type StreamOptions = {
  /** The tier, as the answer names its model. */
  readonly tier: string
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  /** Whether the caller asked for the chunk with the counts. */
  readonly includesUsage: boolean
}

const encoder = new TextEncoder()
const DONE = encoder.encode('data: [DONE]\n\n')

/**
 * Writes the chunks of a model as server-sent events of the dialect. A model that fails after its first content ends
 * the stream with an error of the dialect, which SDKs throw; then the connection is cut.
 */
export async function* toEvents(
  chunks: AsyncIterable<ChatChunk>,
  options: StreamOptions,
): AsyncGenerator<StreamPiece> {
  try {
    for await (const chunk of chunks) {
      const shown = toShownChunk(chunk, options)
      if (shown) yield { bytes: toEvent(shown), isContent: hasContent(chunk) }
    }
  } catch (error) {
    if (error instanceof ModelFailed) yield { bytes: toEvent(BROKEN), isContent: false }
    throw error
  }
  yield { bytes: DONE, isContent: false }
}

const BROKEN = {
  error: {
    message:
      'The model broke off. The call was paid; sent again with the same payment it runs once more, free.',
    type: 'server_error',
    param: null,
    code: 'upstream_failed',
  },
}

/** A chunk as callers see it; null of one that they did not ask for. */
function toShownChunk(chunk: ChatChunk, { tier, id, created, includesUsage }: StreamOptions): object | null {
  const { usage, ...rest } = chunk
  if (chunk.choices.length === 0 && !includesUsage) return null
  return {
    ...rest,
    ...{ id, object: 'chat.completion.chunk', created, model: tier },
    // The dialect's other chunks carry null where counts were asked for.
    ...(includesUsage && { usage: usage ?? null }),
  }
}

function toEvent(value: object): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(value)}\n\n`)
}
