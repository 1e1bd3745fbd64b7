import type * as z from 'zod'
import type { Fault } from '../../catalogue/problem.ts'
import { toFaults } from '../../catalogue/zod-faults.ts'
import { chatMessage } from '../../models/chat/chat-message.ts'
import type { ChatInput } from './request-fields.ts'

type Message = ChatInput['messages'][number]

/** What is wrong with the messages, each fault with its place. */
export function findMessageFaults(messages: readonly Message[]): Fault[] {
  return messages.flatMap((given, at) => {
    const read = chatMessage.safeParse(given)
    if (read.success) return []
    const issues = read.error.issues.flatMap(flatten)
    return toFaults(issues, given).map((fault) => {
      const place = fault.parameter === 'body' ? '' : `.${fault.parameter}`
      return { ...fault, parameter: `messages.${at}${place}` }
    })
  })
}

/** Of a union of text and parts, what is wrong with the parts: a text has no faults of its own. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const deepest = issue.errors.find((errors) => errors.some(({ path }) => path.length > 0))
  if (!deepest) return [{ ...issue, code: 'custom', message: 'must be text or a list of parts' }]
  return deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(flatten)
}

/** Characters (code points) of a message that the model reads as text. */
export function countCharacters(given: Message): number {
  const { content, refusal, tool_calls, function_call } = given
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

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
