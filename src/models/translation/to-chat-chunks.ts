import type { ChatChunk } from '../chat/chat-messages.ts'
import type { MessageEvent, MessageUsage } from '../messages/answer.ts'
import { toFinishReason } from './endings.ts'
import { toChatUsage } from './usage.ts'

/** A tool call whose arguments arrive in parts. */
type Call = { readonly index: number; readonly input: unknown; isSaid: boolean }

/** Converts messages events to chat completions chunks; a last chunk without a choice holds the usage. */
export async function* toChatChunks(events: AsyncIterable<MessageEvent>): AsyncGenerator<ChatChunk> {
  const calls = new Map<number, Call>()
  let usage: MessageUsage = {}
  let id: { readonly id?: string } = {}
  const say = (delta: Record<string, unknown>, ending: Record<string, unknown> = {}): ChatChunk => ({
    ...id,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...ending }],
  })
  for await (const event of events) {
    switch (event.type) {
      case 'message_start':
        if (event.message.id !== undefined) id = { id: event.message.id }
        usage = { ...usage, ...known(event.message.usage) }
        yield say({ role: 'assistant', content: '' })
        break
      case 'content_block_start': {
        const { content_block: block } = event
        if (block.type === 'tool_use') {
          const call = { index: calls.size, input: block.input, isSaid: false }
          calls.set(event.index, call)
          const named = { name: String(block.name), arguments: '' }
          const made = { index: call.index, id: String(block.id), type: 'function', function: named }
          yield say({ tool_calls: [made] })
        } else yield* sayText(block.text, block.thinking, say)
        break
      }
      case 'content_block_delta': {
        const { delta } = event
        const call = calls.get(event.index)
        if (call && typeof delta.partial_json === 'string' && delta.partial_json !== '') {
          call.isSaid = true
          yield say({ tool_calls: [{ index: call.index, function: { arguments: delta.partial_json } }] })
        } else yield* sayText(delta.text, delta.thinking, say)
        break
      }
      case 'content_block_stop': {
        const call = calls.get(event.index)
        // A call without arguments sends no delta, but its arguments must be valid JSON.
        if (call && !call.isSaid) {
          const text = JSON.stringify(call.input ?? {})
          yield say({ tool_calls: [{ index: call.index, function: { arguments: text } }] })
        }
        break
      }
      case 'message_delta': {
        usage = { ...usage, ...known(event.usage) }
        const { stop_reason, stop_sequence } = event.delta
        if (typeof stop_reason !== 'string') break
        const stoppedAt = typeof stop_sequence === 'string' ? { stop_reason: stop_sequence } : {}
        yield say({}, { finish_reason: toFinishReason(stop_reason), ...stoppedAt })
        break
      }
      case 'message_stop':
        yield { ...id, choices: [], usage: toChatUsage(usage) }
        break
      case 'ping':
        break
    }
  }
}

function* sayText(text: unknown, thinking: unknown, say: (delta: Record<string, unknown>) => ChatChunk) {
  if (typeof text === 'string' && text !== '') yield say({ content: text })
  if (typeof thinking === 'string' && thinking !== '') yield say({ reasoning_content: thinking })
}

/** Final usage covers the whole answer, but some upstreams only report changed members. */
function known(usage: MessageUsage | null | undefined): MessageUsage {
  const counts = Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(counts)
}
