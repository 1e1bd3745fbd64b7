import type { ChatRequest } from '../chat/chat-messages.ts'
import type { MessagesRequest, Tool } from '../messages/request.ts'
import { toChatMessages } from './to-chat-messages.ts'

/** Maximum number of stop sequences in a chat completions request; the others are applied here. */
export const MAX_CHAT_STOPS = 4

/** Converts a messages request to a chat completions request. Does not validate; call `findUntranslatable` first. */
export function toChatRequest(request: MessagesRequest): ChatRequest {
  const { max_tokens, stop_sequences, tools, tool_choice, output_config, metadata } = request
  const effort = toReasoningEffort(request)
  return {
    messages: toChatMessages(request),
    max_tokens,
    ...provided('temperature', request.temperature),
    ...provided('top_p', request.top_p),
    // Not in the API reference, but supported by vLLM, SGLang and llama.cpp; others reject it.
    ...provided('top_k', request.top_k),
    ...(stop_sequences && stop_sequences.length > 0 && { stop: stop_sequences.slice(0, MAX_CHAT_STOPS) }),
    ...(tools && tools.length > 0 && { tools: tools.map(toChatTool) }),
    ...(tool_choice && toToolChoice(tool_choice)),
    ...(output_config?.format && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: output_config.format.schema, strict: true },
      },
    }),
    ...provided('reasoning_effort', effort),
    ...provided('user', metadata?.user_id),
  }
}

function provided(name: string, value: unknown): Record<string, unknown> {
  return value === undefined || value === null ? {} : { [name]: value }
}

function toChatTool({ name, description, input_schema, strict }: Tool) {
  return {
    type: 'function',
    function: {
      name,
      ...provided('description', description),
      parameters: input_schema,
      ...provided('strict', strict),
    },
  }
}

function toToolChoice(choice: NonNullable<MessagesRequest['tool_choice']>) {
  const parallel =
    choice.type !== 'none' && choice.disable_parallel_tool_use ? { parallel_tool_calls: false } : {}
  if (choice.type === 'tool')
    return { tool_choice: { type: 'function', function: { name: choice.name } }, ...parallel }
  return { tool_choice: choice.type === 'any' ? 'required' : choice.type, ...parallel }
}

/** Chosen: budgets up to 2,048 tokens are low effort, up to 8,192 medium; most servers treat xhigh and max as high. */
function toReasoningEffort({ thinking, output_config }: MessagesRequest): string | undefined {
  const { effort } = output_config ?? {}
  if (effort) return effort === 'low' || effort === 'medium' ? effort : 'high'
  if (thinking?.type !== 'enabled') return undefined
  if (thinking.budget_tokens <= 2048) return 'low'
  return thinking.budget_tokens <= 8192 ? 'medium' : 'high'
}
