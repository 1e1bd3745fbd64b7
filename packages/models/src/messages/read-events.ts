import { parseJson } from '@tollbook/flow/parse-json'
import { ModelFailed } from '../failure.ts'
import { type ChunkSource, holdFirstContent } from '../hold-first-content.ts'
import { carriesContent, type MessageEvent, messageEvent } from './answer.ts'

/** Validates the order of events in one stream, so that an invalid stream of the upstream cannot confuse clients. */
type EventOrder = {
  /** @throws ModelFailed if an event is out of order */
  readonly take: (event: MessageEvent) => void
  /** Whether the stop reason has arrived, so that only `message_stop` may follow. */
  readonly isEnded: () => boolean
}

const KNOWN = new Set(messageEvent.options.map(({ shape }) => shape.type.value as string))

/**
 * Reads a messages stream up to its first content, then returns all its events.
 * @throws ModelFailed if there is no content: the stream ends, breaks off, times out, sends an error, invalid
 * JSON or events out of order
 */
export function readEvents(
  events: AsyncGenerator<string>,
  { signal, firstTokenMs, close }: ChunkSource,
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

/** Parses one event; null for an unknown type, which the API asks clients to ignore. */
function parseEvent(data: string): MessageEvent | null {
  const value = parseJson(data)
  if (value === undefined) throw new ModelFailed('the stream contains an event that is not valid JSON')
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  if (type === 'error') throw new ModelFailed('the upstream sent an error in its stream')
  if (typeof type === 'string' && !KNOWN.has(type)) return null
  const read = messageEvent.safeParse(value)
  if (!read.success) throw new ModelFailed('the stream contains an event that is not a messages event')
  return read.data
}

/** Enforces the order of https://platform.claude.com/docs/en/build-with-claude/streaming#event-types. */
function createEventOrder(): EventOrder {
  let isStarted = false
  let isEnded = false
  let blocks = 0
  let open: number | null = null

  function isInOrder(event: MessageEvent): boolean {
    switch (event.type) {
      case 'ping':
        return true
      case 'message_start':
        return !isStarted
      case 'content_block_start':
        return isStarted && !isEnded && open === null && event.index === blocks
      case 'content_block_delta':
      case 'content_block_stop':
        return event.index === open
      case 'message_delta':
        return isStarted && open === null
      case 'message_stop':
        return isEnded
    }
  }

  return {
    isEnded: () => isEnded,
    take(event) {
      if (!isInOrder(event)) throw new ModelFailed(`the stream contains a ${event.type} out of order`)
      if (event.type === 'message_start') isStarted = true
      if (event.type === 'content_block_start') {
        open = event.index
        blocks += 1
      }
      if (event.type === 'content_block_stop') open = null
      if (event.type === 'message_delta') isEnded ||= typeof event.delta.stop_reason === 'string'
    },
  }
}
