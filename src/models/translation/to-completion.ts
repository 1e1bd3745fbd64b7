import type { ChatCompletion } from '../chat/chat-messages.ts'
import type { Message } from '../messages/answer.ts'
import { toFinishReason } from './endings.ts'
import { toChatUsage } from './usage.ts'

/** Converts a message to a chat completion. Unknown block types are omitted. */
export function toCompletion(message: Message): ChatCompletion {
  const { id, content, stop_reason, stop_sequence, usage } = message
  const texts = content.filter(({ type }) => type === 'text').map(({ text }) => String(text ?? ''))
  const thoughts = content
    .filter(({ type }) => type === 'thinking')
    .map(({ thinking }) => String(thinking ?? ''))
  const tool_calls = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id: callId, name, input }) => ({
      id: String(callId),
      type: 'function',
      function: { name: String(name), arguments: JSON.stringify(input ?? {}) },
    }))
  const thought = thoughts.join('')
  const finish_reason = toFinishReason(stop_reason)
  return {
    ...(id !== undefined && { id }),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: texts.length > 0 || tool_calls.length === 0 ? texts.join('') : null,
          refusal: null,
          ...(thought !== '' && { reasoning_content: thought }),
          ...(tool_calls.length > 0 && { tool_calls }),
        },
        logprobs: null,
        finish_reason,
        // vLLM's member for the stop sequence that matched.
        ...(typeof stop_sequence === 'string' && { stop_reason: stop_sequence }),
      },
    ],
    usage: usage ? toChatUsage(usage) : undefined,
  }
}
