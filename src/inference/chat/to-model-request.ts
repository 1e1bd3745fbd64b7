import type { ChatRequest } from '../../models/chat/chat-messages.ts'
import { maxTokensOf, type TierLimits } from './limits.ts'
import { type ChatInput, isRefusedField } from './request-fields.ts'

/** The request without what the path, the price and the adapter determine. */
export function toModelRequest(input: ChatInput, limits: TierLimits): ChatRequest {
  const { model: _, stream, stream_options, max_tokens, max_completion_tokens, messages, ...fields } = input
  const given = Object.entries(fields).filter(
    ([name, value]) => value !== null && value !== undefined && !isRefusedField(name),
  )
  const max = maxTokensOf(input, limits)
  return { ...Object.fromEntries(given), messages, ...(max !== undefined && { max_tokens: max }) }
}
