import { parseJson } from '../../fetching/parse-json.ts'
import { ModelFailed } from '../failure.ts'
import { holdFirstContent } from '../hold-first-content.ts'
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
/** Longest wait for the end of a body after it; then the connection is ended. */
const REST_MS = 200

/**
 * Reads a stream of chat completions up to its first content, and gives it from its beginning.
 * @throws ModelFailed where there is none: the stream ends, breaks off, takes too long, tells an error or is no JSON.
 */
export function readChunks(
  events: AsyncGenerator<string>,
  { signal, firstTokenMs, close }: Source,
): Promise<AsyncIterable<ChatChunk>> {
  return holdFirstContent(parseChunks(events, { signal, close }), { hasContent, firstTokenMs, close })
}

async function* parseChunks(
  events: AsyncGenerator<string>,
  { signal, close }: Pick<Source, 'signal' | 'close'>,
): AsyncGenerator<ChatChunk> {
  let isFinished = false
  let isDone = false
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      if (next.value.trim() === DONE) {
        isDone = true
        break
      }
      const chunk = parseChunk(next.value)
      if (chunk.choices.some(({ finish_reason }) => typeof finish_reason === 'string')) isFinished = true
      yield chunk
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ModelFailed ? error : new ModelFailed('the stream broke off', { cause: error })
  } finally {
    if (isDone) void readRest(events, close)
    else await events.return(undefined)
  }
  if (!isFinished) throw new ModelFailed('the stream ended before the answer was finished')
}

/** Nothing follows but the end of the body, after which the connection can be used again. */
async function readRest(events: AsyncGenerator<string>, close: () => void): Promise<void> {
  const timer = setTimeout(close, REST_MS)
  try {
    const next = await events.next()
    if (!next.done) close()
    await events.return(undefined)
  } catch {
    // The answer is whole all the same.
  } finally {
    clearTimeout(timer)
  }
}

function parseChunk(data: string): ChatChunk {
  const value = parseJson(data)
  if (value === undefined) throw new ModelFailed('the stream holds an event that is no JSON')
  if (typeof value === 'object' && value !== null && 'error' in value && value.error) {
    throw new ModelFailed('the upstream told an error within its stream')
  }
  const read = chatChunk.safeParse(value)
  if (!read.success) throw new ModelFailed('the stream holds an event that is no chunk of an answer')
  return read.data
}
