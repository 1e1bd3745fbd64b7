import type { ResponsesInput } from './request-fields.ts'

/**
 * The members of a response that return the request's settings. Clients require all of them (OpenResponses,
 * `ResponseResource`), so that a setting that was not sent has the default of the dialect.
 */
export function echoSettings(input: ResponsesInput): Readonly<Record<string, unknown>> {
  return {
    background: false,
    frequency_penalty: input.frequency_penalty ?? 0,
    instructions: input.instructions ?? null,
    max_output_tokens: input.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: input.metadata ?? {},
    parallel_tool_calls: input.parallel_tool_calls ?? true,
    presence_penalty: input.presence_penalty ?? 0,
    previous_response_id: null,
    prompt_cache_key: ignoredText(input, 'prompt_cache_key'),
    reasoning: { effort: input.reasoning?.effort ?? null, summary: input.reasoning?.summary ?? null },
    safety_identifier: ignoredText(input, 'safety_identifier'),
    service_tier: 'default',
    store: false,
    temperature: input.temperature ?? 1,
    text: { format: input.text?.format ?? { type: 'text' } },
    tool_choice: input.tool_choice ?? 'auto',
    tools: (input.tools ?? []).map(echoTool),
    top_logprobs: 0,
    top_p: input.top_p ?? 1,
    truncation: 'disabled',
    ...(typeof input.user === 'string' && { user: input.user }),
  }
}

/** A field of the request that changes nothing else; it is not declared, so its value may have any type. */
function ignoredText(input: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = input[name]
  return typeof value === 'string' ? value : null
}

function echoTool(tool: NonNullable<ResponsesInput['tools']>[number]): object {
  return tool.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool
}
