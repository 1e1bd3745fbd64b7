import type { StreamPiece } from '@tollbook/gate/contract/answer'
import { ModelFailed } from '@tollbook/models/failure'
import { carriesContent, type MessageEvent, type MessageUsage } from '@tollbook/models/messages/answer'
import type { OutputBound } from '../chat/output-bound.ts'

type Shown = {
  readonly id: string
  /** The model name in the answer. */
  readonly model: string
  /** The counts for the caller, for the model's output. */
  readonly toUsage: (usage: MessageUsage, said: string) => MessageUsage
  readonly bound: OutputBound
}

const encoder = new TextEncoder()

/**
 * Writes the events of a model as server-sent events of the dialect. A model that fails after its first
 * content ends the stream with an error of the dialect, which SDKs throw; then the connection is cut. An
 * answer that exceeds its bound ends like one that reached it.
 */
export async function* writeEvents(
  events: AsyncIterable<MessageEvent>,
  shown: Shown,
): AsyncGenerator<StreamPiece> {
  let said = ''
  let usage: MessageUsage = {}
  try {
    for await (const event of events) {
      if (event.type === 'message_start') usage = { ...event.message.usage }
      const text = event.type === 'content_block_delta' ? textOf(event.delta) : ''
      said += text
      if (event.type === 'message_delta') usage = { ...usage, ...withoutNull(event.usage) }
      yield { bytes: encodeEvent(toShown(event, shown, { usage, said })), isContent: carriesContent(event) }
      if (event.type !== 'content_block_delta' || !shown.bound.isPassedWith(text)) continue
      for (const end of endOf(event.index))
        yield { bytes: encodeEvent(toShown(end, shown, { usage, said })), isContent: carriesContent(end) }
      break
    }
  } catch (error) {
    if (error instanceof ModelFailed) yield { bytes: encodeEvent(BROKEN), isContent: false }
    throw error
  }
}

/** The final events of an answer that reached its bound within a block. */
export function endOf(index: number): readonly MessageEvent[] {
  return [
    { type: 'content_block_stop', index },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens', stop_sequence: null } },
    { type: 'message_stop' },
  ]
}

const BROKEN = {
  type: 'error',
  error: {
    type: 'api_error',
    message:
      'The model broke off. The call was paid; a retry with the same payment runs it once more, free of charge.',
  },
}

export function textOf(delta: Readonly<Record<string, unknown>>): string {
  const { text, thinking, partial_json } = delta
  return [text, thinking, partial_json].filter((value) => typeof value === 'string').join('')
}

function toShown(
  event: MessageEvent,
  { id, model, toUsage }: Shown,
  { usage, said }: { readonly usage: MessageUsage; readonly said: string },
): Readonly<Record<string, unknown>> & { readonly type: string } {
  // Clients read the input tokens of a stream here, where most upstreams do not report them yet.
  if (event.type === 'message_start')
    return { ...event, message: { ...event.message, id, type: 'message', model, usage: toUsage(usage, '') } }
  if (event.type !== 'message_delta' || typeof event.delta.stop_reason !== 'string') return event
  return { ...event, usage: { ...event.usage, ...toUsage(usage, said) } }
}

function withoutNull(usage: MessageUsage | null | undefined): MessageUsage {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null))
}

/** A server-sent event, named by its type. */
export function encodeEvent(event: { readonly type: string }): Uint8Array {
  return encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}
