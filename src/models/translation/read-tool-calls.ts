import * as z from 'zod'
import { ModelFailed } from '../failure.ts'

const called = z.looseObject({ name: z.string().min(1), arguments: z.unknown() })
const calls = z.looseObject({
  tool_calls: z.array(z.looseObject({ id: z.string().nullish(), function: called })).nullish(),
  // What calls of tools were before.
  function_call: called.nullish(),
})

export type ToolCall = {
  /** Empty where the upstream gave none. */
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * The calls of tools in a message of chat completions, with their arguments as objects.
 * @throws ModelFailed where there is one without a name.
 */
export function readToolCalls(message: unknown): readonly ToolCall[] {
  const read = calls.safeParse(message)
  if (!read.success) throw new ModelFailed('the answer calls a tool in a form of its own')
  const { tool_calls, function_call } = read.data
  const made = [
    ...(tool_calls ?? []).map(({ id, function: named }) => ({ id: id ?? '', ...named })),
    ...(function_call ? [{ id: '', ...function_call }] : []),
  ]
  return made.map((call) => ({ id: call.id, name: call.name, input: toInput(call.arguments) }))
}

/** Arguments as an object; a text that is no JSON object stays under `_raw`, so that nothing is lost. */
export function toInput(text: unknown): Readonly<Record<string, unknown>> {
  if (text === undefined || text === null || text === '') return {}
  // Some servers give the object itself.
  if (typeof text === 'object' && !Array.isArray(text)) return { ...text }
  try {
    const value: unknown = JSON.parse(String(text))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Kept as it is, below.
  }
  return { _raw: text }
}
