import { isRecord } from '@tollbook/flow/is-record'
import { parseJson } from '@tollbook/flow/parse-json'
import * as z from 'zod'
import { ModelFailed } from '../failure.ts'

const called = z.looseObject({ name: z.string().min(1), arguments: z.unknown() })
const calls = z.looseObject({
  tool_calls: z.array(z.looseObject({ id: z.string().nullish(), function: called })).nullish(),
  // The deprecated form of a tool call.
  function_call: called.nullish(),
})

export type ToolCall = {
  /** Empty if the upstream sent none. */
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * Reads the tool calls of a chat completions message, with their arguments as objects.
 * @throws ModelFailed if one has no name
 */
export function readToolCalls(message: unknown): readonly ToolCall[] {
  const read = calls.safeParse(message)
  if (!read.success) throw new ModelFailed('the answer contains an invalid tool call')
  const { tool_calls, function_call } = read.data
  const made = [
    ...(tool_calls ?? []).map(({ id, function: named }) => ({ id: id ?? '', ...named })),
    ...(function_call ? [{ id: '', ...function_call }] : []),
  ]
  return made.map((call) => ({ id: call.id, name: call.name, input: toInput(call.arguments) }))
}

/** Parses arguments to an object; text that is not a JSON object is preserved under `_raw`. */
function toInput(text: unknown): Readonly<Record<string, unknown>> {
  if (text === undefined || text === null || text === '') return {}
  // Some servers send the object itself.
  if (typeof text === 'object' && !Array.isArray(text)) return { ...text }
  const value = parseJson(String(text))
  return isRecord(value) ? { ...value } : { _raw: text }
}
