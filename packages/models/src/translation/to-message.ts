import type { ChatCompletion } from '../chat/chat-messages.ts'
import { ModelFailed } from '../failure.ts'
import type { Message, MessageBlock } from '../messages/answer.ts'
import { toStopReason } from './endings.ts'
import { readToolCalls } from './read-tool-calls.ts'
import { toMessageUsage } from './usage.ts'

export type AnswerOptions = {
  readonly stopSequences: readonly string[]
  /** Whether the request asks for the model's thinking. */
  readonly showsThinking: boolean
}

/** Converts a chat completion to a message. @throws ModelFailed if it calls a tool without a name */
export function toMessage(
  completion: ChatCompletion,
  { stopSequences, showsThinking }: AnswerOptions,
): Message {
  const [choice] = completion.choices
  if (!choice) throw new ModelFailed('the answer has no choice')
  const { message, finish_reason, stop_reason } = choice
  const thinking = showsThinking ? thinkingOf(message) : ''
  const texts = [message.content, message.refusal].filter((text) => typeof text === 'string' && text !== '')
  const calls = readToolCalls(message)
  const content: MessageBlock[] = [
    ...(thinking ? [{ type: 'thinking', thinking, signature: '' }] : []),
    ...texts.map((text) => ({ type: 'text', text, citations: null })),
    ...calls.map(({ id, name, input }, at) => ({ type: 'tool_use', id: id || toCallId(at), name, input })),
  ]
  const ending = toStopReason({
    finishReason: finish_reason,
    stoppedAt: stop_reason,
    stopSequences,
    hasTools: calls.length > 0,
    isRefusal: typeof message.refusal === 'string' && message.refusal !== '',
  })
  return {
    ...(completion.id !== undefined && { id: completion.id }),
    type: 'message',
    role: 'assistant' as const,
    content,
    ...ending,
    stop_details: null,
    container: null,
    usage: toMessageUsage(completion.usage),
  }
}

/** The model's thinking, under the field names of vLLM, SGLang, llama.cpp and hosted services. */
export function thinkingOf(message: Readonly<Record<string, unknown>>): string {
  const { reasoning_content, reasoning } = message
  for (const text of [reasoning_content, reasoning]) if (typeof text === 'string' && text) return text
  return ''
}

/** Id for a call without one; it is only unique within its conversation. */
export function toCallId(at: number): string {
  return `toolu_${crypto.randomUUID().replaceAll('-', '')}${at}`
}
