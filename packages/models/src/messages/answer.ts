import * as z from 'zod'

const count = z.int().min(0)

/** Usage as counted by the upstream; unknown members are passed on unchanged. */
const usage = z.looseObject({
  input_tokens: count.nullish(),
  output_tokens: count.nullish(),
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
  output_tokens_details: z.looseObject({ thinking_tokens: count.nullish() }).nullish(),
})

const ending = {
  stop_reason: z.string().nullish(),
  stop_sequence: z.string().nullish(),
}

/** A block of an answer; members other than the type are passed on unchanged. */
const block = z.looseObject({ type: z.string() })

/** A whole answer, https://platform.claude.com/docs/en/api/messages/create; unknown members are passed on unchanged. */
export const message = z.looseObject({
  id: z.string().optional(),
  role: z.literal('assistant').default('assistant'),
  content: z.array(block),
  ...ending,
  usage: usage.nullish(),
})

/** One event of a stream, https://platform.claude.com/docs/en/build-with-claude/streaming. */
export const messageEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('content_block_start'), index: count, content_block: block }),
  z.looseObject({ type: z.literal('content_block_delta'), index: count, delta: block }),
  z.looseObject({ type: z.literal('content_block_stop'), index: count }),
  z.looseObject({ type: z.literal('message_delta'), delta: z.looseObject(ending), usage: usage.nullish() }),
  z.looseObject({ type: z.literal('message_stop') }),
])

export type Message = Readonly<z.output<typeof message>>
export type MessageEvent = Readonly<z.output<typeof messageEvent>>
export type MessageBlock = Readonly<z.output<typeof block>>
export type MessageUsage = Readonly<z.output<typeof usage>>

/** Whether an event has content that the caller requested, not just a preamble or usage. */
export function carriesContent(event: MessageEvent): boolean {
  switch (event.type) {
    case 'content_block_start':
      // The start event of a text or thinking block has no content.
      return !['text', 'thinking'].includes(event.content_block.type)
    case 'content_block_delta':
      return Object.entries(event.delta).some(([name, value]) => name !== 'type' && value !== '')
    case 'message_delta':
      return typeof event.delta.stop_reason === 'string'
    default:
      return false
  }
}
