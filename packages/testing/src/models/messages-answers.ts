import { sendPieces, type UpstreamAnswer } from './chat-upstream.ts'

type Event = Readonly<Record<string, unknown>> & { readonly type: string }

/** A message in the documented form, https://platform.claude.com/docs/en/api/messages/create. */
export function toMessageAnswer(content: readonly object[], stopReason = 'end_turn', more: object = {}) {
  return {
    id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
    type: 'message',
    role: 'assistant',
    model: 'upstream-model',
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 2 },
    ...more,
  }
}

/**
 * The stream of the documentation's basic example, word for word but for the name of the model:
 * https://platform.claude.com/docs/en/build-with-claude/streaming#basic-streaming-request
 */
export const BASIC_STREAM: readonly Event[] = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyS',
      type: 'message',
      role: 'assistant',
      content: [],
      model: 'upstream-model',
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 25, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '!' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 15 },
  },
  { type: 'message_stop' },
]

/** The documentation's example with a call of a tool, shortened: #streaming-request-with-tool-use */
export const TOOL_STREAM: readonly Event[] = [
  {
    type: 'message_start',
    message: {
      id: 'msg_014p7gG3wDgGV9EUtLvnow3U',
      type: 'message',
      role: 'assistant',
      model: 'upstream-model',
      stop_sequence: null,
      usage: { input_tokens: 472, output_tokens: 2 },
      content: [],
      stop_reason: null,
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Okay' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ', let' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: {
      type: 'tool_use',
      id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
      name: 'get_weather',
      input: {},
    },
  },
  ...['', '{"location":', ' "San', ' Francisc', 'o,', ' CA"', ', ', '"unit": "fah', 'renheit"}'].map(
    (partial_json) => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json },
    }),
  ),
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 89 },
  },
  { type: 'message_stop' },
]

/** An event of a stream: its name, and its data in JSON. */
export function toNamedEvent(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

export function sendEvents(events: readonly Event[], end = true): UpstreamAnswer {
  return sendPieces(events.map(toNamedEvent), end)
}
