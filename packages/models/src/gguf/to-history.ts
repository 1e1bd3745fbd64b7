import { parseJson } from '@tollbook/flow/parse-json'
import type { ChatHistoryItem, ChatModelResponse } from 'node-llama-cpp'
import * as z from 'zod'
import type { ChatRequest } from '../chat/chat-messages.ts'

const text = z
  .union([
    z.string(),
    z.array(z.looseObject({ text: z.string().optional(), refusal: z.string().optional() })),
  ])
  .nullish()
  .transform((content) =>
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => part.text ?? part.refusal ?? '').join('\n\n'),
  )

const message = z.object({
  role: z.string(),
  content: text,
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
})

type Call = {
  readonly id: string
  readonly item: Extract<ChatModelResponse['response'][number], { type: 'functionCall' }>
}

/**
 * Converts messages to the history format of node-llama-cpp: a tool call includes its result, and the model
 * continues after it.
 */
export function toHistory(messages: ChatRequest['messages']): ChatHistoryItem[] {
  const history: ChatHistoryItem[] = []
  let calls: Call[] = []
  for (const provided of messages) {
    const { role, content, tool_calls, tool_call_id } = message.parse(provided)
    if (role === 'system' || role === 'developer') history.push({ type: 'system', text: content })
    else if (role === 'user') history.push({ type: 'user', text: content })
    else if (role === 'assistant') {
      const made = (tool_calls ?? []).map(toCall)
      calls = [...calls, ...made]
      const response = [...(content === '' ? [] : [content]), ...made.map(({ item }) => item)]
      const last = history.at(-1)
      // An answer with a tool result between two of its parts continues.
      if (last?.type === 'model') last.response.push(...response)
      else history.push({ type: 'model', response })
    } else {
      const call = calls.find(({ id }) => id === tool_call_id)
      if (call) call.item.result = content
    }
  }
  return history
}

function toCall({
  id,
  function: { name, arguments: written },
}: {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}): Call {
  return { id, item: { type: 'functionCall', name, params: parse(written), result: '' } }
}

/** Arguments that are not valid JSON stay text. */
function parse(written: string): unknown {
  const value = parseJson(written)
  return value === undefined ? written : value
}
