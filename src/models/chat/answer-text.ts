/** All text that a model generated in an answer or chunk: reasoning, content, refusal, tool calls. */
export function answerText(answer: Readonly<Record<string, unknown>>): string {
  const { content, reasoning_content, reasoning, refusal, tool_calls, function_call } = answer
  // Some servers send the reasoning under both names.
  const texts = [textOf(reasoning_content ?? reasoning), textOf(content), textOf(refusal)]
  for (const call of [...listOf(tool_calls).map((tool) => memberOf(tool, 'function')), function_call])
    texts.push(textOf(memberOf(call, 'name')), textOf(memberOf(call, 'arguments')))
  return texts.join('')
}

/** A string, or the texts of a list of parts. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((part) => textOf(memberOf(part, 'text') ?? memberOf(part, 'thinking')))
    .join('')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
