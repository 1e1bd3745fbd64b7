import { ModelFailed } from '../failure.ts'
import { type ChatChunk, chatChunk, hasContent } from './chat-messages.ts'

type Source = {
  readonly signal: AbortSignal
  /** Longest wait for the first content, from now. */
  readonly firstTokenMs: number
  /** Ends the connection. */
  readonly close: () => void
}

/** What ends a stream of chat completions. */
const DONE = '[DONE]'

/**
 * Reads a stream of chat completions up to its first content, and gives it from its beginning.
 * @throws ModelFailed where there is none: the stream ends, breaks off, takes too long, tells an error or is no JSON.
 */
export async function readChunks(
  events: AsyncGenerator<string>,
  { signal, firstTokenMs, close }: Source,
): Promise<AsyncIterable<ChatChunk>> {
  const chunks = parseChunks(events, signal)
  const head: ChatChunk[] = []
  const late = new ModelFailed('the upstream gave no content in time', { isLate: true })
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late), firstTokenMs)
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), isLate])
      if (next.done) throw new ModelFailed('the stream ended before any content')
      head.push(next.value)
      if (hasContent(next.value)) return joined(head, chunks)
    }
  } catch (error) {
    close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function* joined(
  head: readonly ChatChunk[],
  rest: AsyncGenerator<ChatChunk>,
): AsyncGenerator<ChatChunk> {
  try {
    yield* head
    yield* rest
  } finally {
    // Whoever leaves within the head would otherwise leave the connection open.
    await rest.return(undefined)
  }
}

async function* parseChunks(events: AsyncGenerator<string>, signal: AbortSignal): AsyncGenerator<ChatChunk> {
  let isFinished = false
  try {
    for await (const data of events) {
      if (data.trim() === DONE) break
      const chunk = parseChunk(data)
      if (chunk.choices.some(({ finish_reason }) => typeof finish_reason === 'string')) isFinished = true
      yield chunk
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ModelFailed ? error : new ModelFailed('the stream broke off', { cause: error })
  }
  if (!isFinished) throw new ModelFailed('the stream ended before the answer was finished')
}

function parseChunk(data: string): ChatChunk {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (error) {
    throw new ModelFailed('the stream holds an event that is no JSON', { cause: error })
  }
  if (typeof value === 'object' && value !== null && 'error' in value && value.error) {
    throw new ModelFailed('the upstream told an error within its stream')
  }
  const read = chatChunk.safeParse(value)
  if (!read.success) throw new ModelFailed('the stream holds an event that is no chunk of an answer')
  return read.data
}
