import * as z from 'zod'
import { findRefusedFields, IGNORED, type RefusedFields } from '../refused-fields.ts'

const penalty = z.number().min(-2).max(2).nullish()
const bound = z.int().min(1).max(1_000_000).nullish()

/**
 * The fields of https://platform.openai.com/docs/api-reference/chat/create that reach the model.
 * `findMessageIssues` validates messages in detail: their full schema would not fit into the header of a
 * challenge.
 */
export const requestFields = z.object({
  model: z
    .string()
    .max(200)
    .nullish()
    .describe('On a path without a tier: an id of /v1/models selects it. Otherwise any value.'),
  messages: z
    .array(z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']) }))
    .min(1)
    .max(2000)
    .describe('The conversation; content may be text or parts with images.'),
  stream: z.boolean().nullish().describe('true returns server-sent events.'),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().nullish(),
      // Chunks contain no padding that could hide their length.
      include_obfuscation: z.literal(false).nullish(),
    })
    .nullish(),
  max_tokens: bound,
  max_completion_tokens: bound.describe('Same as max_tokens.'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: z.number().nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  logit_bias: z.record(z.string(), z.number()).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z
    .array(z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }))
    .max(128)
    .nullish(),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
  reasoning_effort: z.string().max(20).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  user: z.string().max(512).nullish(),
})

export type ChatInput = z.output<typeof requestFields>

const NOT_KEPT = 'is not supported: requests are not stored'
const isNo = (value: unknown) => value === false

/** Fields of the dialect that are rejected by name, unless they request the default behaviour. */
const REFUSED: RefusedFields = {
  n: { reason: 'must be 1: each call pays for one answer', isHarmless: (value) => value === 1 },
  store: { reason: NOT_KEPT, isHarmless: isNo },
  metadata: IGNORED,
  audio: { reason: 'is not supported: answers are text' },
  modalities: {
    reason: 'must be ["text"]: answers are text',
    isHarmless: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  },
  service_tier: {
    reason: 'is not supported: the path determines the tier',
    isHarmless: (value) => value === 'auto' || value === 'default',
  },
  prediction: { reason: 'is not supported' },
  web_search_options: { reason: 'is not supported: the model does not search' },
  moderation: { reason: 'is not supported' },
  prompt_cache_key: IGNORED,
  prompt_cache_options: IGNORED,
  prompt_cache_retention: IGNORED,
  safety_identifier: IGNORED,
}

/** Older names of `tools` and `tool_choice`, which are passed on unchanged. */
const DEPRECATED: readonly string[] = ['functions', 'function_call']

/** Whether a name is a field of the dialect that is not declared: it is deprecated or refused. */
export function isUndeclaredField(name: string): boolean {
  return DEPRECATED.includes(name) || isRefusedField(name)
}

export function isRefusedField(name: string): boolean {
  return Object.hasOwn(REFUSED, name)
}

export const findRefusedChatFields = (input: Readonly<Record<string, unknown>>) =>
  findRefusedFields(input, REFUSED)
