import * as z from 'zod'
import type { ChatRequest } from '../chat/chat-messages.ts'
import type { MessagesRequest, Tool } from '../messages/request.ts'
import { refuse, toTurns } from './to-turns.ts'

/** Chosen: room for a long answer. The messages API requires a limit; chat completions do not. */
export const DEFAULT_MAX_TOKENS = 4096

const chatTool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.looseObject({}).nullish(),
    strict: z.boolean().nullish(),
  }),
})
const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
])
const responseFormat = z.looseObject({
  type: z.enum(['text', 'json_schema']),
  json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()) }).optional(),
})

/** Fields that the messages API cannot express, with a check for no-op values. */
const WITHOUT_PLACE: Readonly<Record<string, (value: unknown) => boolean>> = {
  seed: () => false,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  logit_bias: (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0,
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  verbosity: (value) => value === 'medium',
  functions: () => false,
  function_call: () => false,
}

/** Fields of chat completions that are translated, besides `messages`. */
const options = z.looseObject({
  max_tokens: z.int().nullish(),
  temperature: z.number().max(1).nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  tools: z.array(chatTool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormat.nullish(),
  reasoning_effort: z.string().nullish(),
  user: z.string().nullish(),
})

/**
 * Converts a chat completions request to a messages request.
 * @throws ModelRefused that names what cannot be expressed
 */
export function toMessagesRequest(request: ChatRequest): MessagesRequest {
  for (const [name, asksNothing] of Object.entries(WITHOUT_PLACE)) {
    const value = request[name]
    if (value !== undefined && value !== null && !asksNothing(value))
      refuse(name, 'is not supported by this model')
  }
  const read = options.safeParse(request)
  if (!read.success) {
    const [issue] = read.error.issues
    throw refuse(issue?.path.map(String).join('.') || 'body', 'has a value that this model does not support')
  }
  const { data } = read
  const { stop, tools, response_format, reasoning_effort } = data
  const effort = reasoning_effort ? toEffort(reasoning_effort) : undefined
  const schema = response_format?.type === 'json_schema' ? response_format.json_schema?.schema : undefined
  const choice = toToolChoice(data)
  const stops = [stop ?? []].flat().filter((text) => text !== '')
  return {
    ...toTurns(request.messages),
    max_tokens: data.max_tokens ?? DEFAULT_MAX_TOKENS,
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...(typeof data.temperature === 'number' && { temperature: data.temperature }),
    ...(typeof data.top_p === 'number' && { top_p: data.top_p }),
    ...(typeof data.top_k === 'number' && { top_k: data.top_k }),
    ...(tools && tools.length > 0 && { tools: tools.map(toTool) }),
    ...(choice && { tool_choice: choice }),
    ...(effort === 'none' && { thinking: { type: 'disabled' as const } }),
    ...((schema || (effort && effort !== 'none')) && {
      output_config: {
        ...(effort && effort !== 'none' && { effort }),
        ...(schema && { format: { type: 'json_schema' as const, schema } }),
      },
    }),
    ...(data.user && { metadata: { user_id: data.user } }),
  }
}

function toTool({ function: named }: z.output<typeof chatTool>): Tool {
  const { name, description, parameters, strict } = named
  return {
    name,
    ...(typeof description === 'string' && { description }),
    input_schema: { ...parameters, type: 'object' },
    ...(typeof strict === 'boolean' && { strict }),
  }
}

function toToolChoice({ tool_choice, tools, parallel_tool_calls }: z.output<typeof options>) {
  if (!tools || tools.length === 0) return undefined
  const alone = parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  if (typeof tool_choice === 'object' && tool_choice) {
    return { type: 'tool' as const, name: tool_choice.function.name, ...alone }
  }
  if (tool_choice === 'none') return { type: 'none' as const }
  if (tool_choice === 'required') return { type: 'any' as const, ...alone }
  return tool_choice === 'auto' || parallel_tool_calls === false
    ? { type: 'auto' as const, ...alone }
    : undefined
}

const EFFORTS = ['none', 'low', 'medium', 'high', 'xhigh', 'max'] as const

function toEffort(effort: string): (typeof EFFORTS)[number] {
  const wanted = effort === 'minimal' ? 'low' : effort
  const found = EFFORTS.find((one) => one === wanted)
  return found ?? refuse('reasoning_effort', 'is not a field that this model supports')
}
