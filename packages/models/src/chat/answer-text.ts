/** All text that a model generated in an answer or chunk: reasoning, content, refusal, tool calls. */
export function answerText(answer: Readonly<Record<string, unknown>>): string {
  const { content, reasoning_content, reasoning, refusal, tool_calls, function_call } = answer
  // Some servers send the reasoning under both names.
  let text = textOf(reasoning_content ?? reasoning) + textOf(content) + textOf(refusal)
  for (const tool of listOf(tool_calls)) text += callText(memberOf(tool, 'function'))
  return text + callText(function_call)
}

function callText(call: unknown): string {
  return textOf(memberOf(call, 'name')) + textOf(memberOf(call, 'arguments'))
}

/** A string, or the texts of a list of parts. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  let text = ''
  for (const part of listOf(value)) text += textOf(memberOf(part, 'text') ?? memberOf(part, 'thinking'))
  return text
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NONE
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

const NONE: readonly unknown[] = []
