import { parseJson } from '../../fetching/parse-json.ts'
import { ModelFailed } from '../failure.ts'
import { holdFirstContent } from '../hold-first-content.ts'
import { carriesContent, type MessageEvent, messageEvent } from './answer.ts'
import { createEventOrder } from './event-order.ts'

type Source = {
  readonly signal: AbortSignal
  /** Longest wait for the first content, from now. */
  readonly firstTokenMs: number
  /** Ends the connection. */
  readonly close: () => void
}

const KNOWN = new Set(messageEvent.options.map(({ shape }) => shape.type.value as string))

/**
 * Reads a stream of messages up to its first content, and gives it from its beginning.
 * @throws ModelFailed where there is none: the stream ends, breaks off, takes too long, tells an error, is no JSON or
 * out of order.
 */
export function readEvents(
  events: AsyncGenerator<string>,
  { signal, firstTokenMs, close }: Source,
): Promise<AsyncIterable<MessageEvent>> {
  return holdFirstContent(parseEvents(events, signal), { hasContent: carriesContent, firstTokenMs, close })
}

async function* parseEvents(
  events: AsyncGenerator<string>,
  signal: AbortSignal,
): AsyncGenerator<MessageEvent> {
  const order = createEventOrder()
  try {
    for await (const data of events) {
      const event = parseEvent(data)
      if (!event) continue
      order.take(event)
      yield event
      if (event.type === 'message_stop') return
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof ModelFailed ? error : new ModelFailed('the stream broke off', { cause: error })
  }
  if (!order.isEnded()) throw new ModelFailed('the stream ended before the answer was finished')
  yield { type: 'message_stop' }
}

/** One event; null of a kind that this version does not know, which the dialect asks readers to pass over. */
function parseEvent(data: string): MessageEvent | null {
  const value = parseJson(data)
  if (value === undefined) throw new ModelFailed('the stream holds an event that is no JSON')
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  if (type === 'error') throw new ModelFailed('the upstream told an error within its stream')
  if (typeof type === 'string' && !KNOWN.has(type)) return null
  const read = messageEvent.safeParse(value)
  if (!read.success) throw new ModelFailed('the stream holds an event that is none of a message')
  return read.data
}
