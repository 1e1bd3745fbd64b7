import { isRecord } from '@tollbook/flow/is-record'
import { parseJson } from '@tollbook/flow/parse-json'
import { ModelFailed } from '../failure.ts'
import { type ChunkSource, holdFirstContent } from '../hold-first-content.ts'
import { type ChatChunk, hasContent, parseChatChunk } from './chat-messages.ts'

/** End marker of a chat completions stream. */
const DONE = '[DONE]'
/** Timeout for the end of the body after the marker; then the connection is closed. */
const REST_MS = 200

/**
 * Reads a chat completions stream up to its first content, then returns all its chunks.
 * @throws ModelFailed if there is no content: the stream ends, breaks off, times out, sends an error or
 * invalid JSON
 */
export function readChunks(
  events: AsyncGenerator<string>,
  { signal, firstTokenMs, close }: ChunkSource,
): Promise<AsyncIterable<ChatChunk>> {
  return holdFirstContent(parseChunks(events, { signal, close }), { hasContent, firstTokenMs, close })
}

async function* parseChunks(
  events: AsyncGenerator<string>,
  { signal, close }: Pick<ChunkSource, 'signal' | 'close'>,
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

/** Reads to the end of the body, so that the connection can be reused. */
async function readRest(events: AsyncGenerator<string>, close: () => void): Promise<void> {
  const timer = setTimeout(close, REST_MS)
  try {
    const next = await events.next()
    if (!next.done) close()
    await events.return(undefined)
  } catch {
    // The answer is already complete.
  } finally {
    clearTimeout(timer)
  }
}

function parseChunk(data: string): ChatChunk {
  const value = parseJson(data)
  if (value === undefined) throw new ModelFailed('the stream contains an event that is not valid JSON')
  if (isRecord(value) && value.error) throw new ModelFailed('the upstream sent an error in its stream')
  const chunk = parseChatChunk(value)
  if (!chunk) throw new ModelFailed('the stream contains an event that is not a chat completion chunk')
  return chunk
}
