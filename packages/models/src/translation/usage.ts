import { memberOf } from '../chat/answer-text.ts'
import type { ChatCompletion } from '../chat/chat-messages.ts'

export type ChatUsage = NonNullable<ChatCompletion['usage']>

/** Usage of chat completions: prompt tokens include those read from a cache; absent members are 0. */
export function toMessageUsage(usage: ChatUsage | null | undefined) {
  const { prompt_tokens = 0, completion_tokens = 0, prompt_tokens_details: prompt } = usage ?? {}
  const { cached_tokens, cache_write_tokens } = prompt ?? {}
  const read = Math.min(prompt_tokens, cached_tokens ?? 0)
  const written = Math.min(prompt_tokens - read, toCount(cache_write_tokens))
  const thinking = toCount(memberOf(usage?.completion_tokens_details, 'reasoning_tokens'))
  return {
    input_tokens: prompt_tokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: completion_tokens,
    output_tokens_details: thinking > 0 ? { thinking_tokens: thinking } : null,
  }
}

function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
