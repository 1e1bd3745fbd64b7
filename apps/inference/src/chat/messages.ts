import { isRecord } from '@tollbook/flow/is-record'
import type { Issue } from '@tollbook/http/problem'
import { chatMessage } from '@tollbook/models/chat/chat-message'
import { toNestedIssues } from '../schema-issues.ts'
import type { ChatInput } from './request-fields.ts'

type Message = ChatInput['messages'][number]

export function findMessageIssues(messages: readonly Message[]): Issue[] {
  return messages.flatMap((provided, at) => {
    const read = chatMessage.safeParse(provided)
    return read.success ? [] : toNestedIssues(read.error, provided, `messages.${at}`)
  })
}

/** Characters (code points) of a message that the model reads as text. */
export function countCharacters(provided: Message): number {
  const { content, refusal, tool_calls, function_call } = provided
  let count = 0
  const add = (value: unknown): void => {
    if (typeof value === 'string') for (const _ of value) count += 1
  }
  if (Array.isArray(content)) for (const part of content) add(part?.text ?? part?.refusal)
  else add(content)
  add(refusal)
  const calls: readonly unknown[] = [
    function_call,
    ...(Array.isArray(tool_calls) ? tool_calls.map((tool) => tool?.function) : []),
  ]
  for (const made of calls) if (isRecord(made)) for (const text of [made.name, made.arguments]) add(text)
  return count
}
