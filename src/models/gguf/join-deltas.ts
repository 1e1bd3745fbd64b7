import * as z from 'zod'
import { type ChatChunk, type ChatCompletion, chatCompletion } from '../chat/chat-messages.ts'

const delta = z.object({
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z
    .array(
      z.object({
        index: z.int(),
        id: z.string().optional(),
        function: z.object({ name: z.string().optional(), arguments: z.string() }),
      }),
    )
    .optional(),
})

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } }

/** Joins chunks into a whole answer. */
export function joinDeltas(chunks: readonly ChatChunk[]): ChatCompletion {
  let content = ''
  let reasoning = ''
  const calls: ToolCall[] = []
  let finishReason: string | null = null
  let usage: unknown
  for (const chunk of chunks) {
    const [choice] = chunk.choices
    const read = delta.parse(choice?.delta ?? {})
    content += read.content ?? ''
    reasoning += read.reasoning_content ?? ''
    for (const { index, id, function: made } of read.tool_calls ?? []) {
      const call = calls[index] ?? { id: id ?? '', type: 'function', function: { name: '', arguments: '' } }
      calls[index] = call
      call.function.name += made.name ?? ''
      call.function.arguments += made.arguments
    }
    finishReason = choice?.finish_reason ?? finishReason
    usage = chunk.usage ?? usage
  }
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return chatCompletion.parse({
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
  })
}
