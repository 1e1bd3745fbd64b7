import * as z from 'zod'
import { findRefusedFields, IGNORED, type RefusedFields } from '../refused-fields.ts'

const item = z.looseObject({ type: z.string().optional(), role: z.string().optional() })

/**
 * The fields of https://platform.openai.com/docs/api-reference/responses/create that reach the model.
 * `toChatInput` validates items and tools in detail: their full schema would not fit into the header of a
 * challenge.
 */
export const requestFields = z.object({
  model: z
    .string()
    .max(200)
    .nullish()
    .describe('On a path without a tier: an id of /v1/models selects it. Otherwise any value.'),
  input: z
    .union([z.string().min(1), z.array(item).min(1).max(2000)])
    .describe('Text, or the items of the conversation so far.'),
  instructions: z.string().nullish().describe('A system message before the input.'),
  stream: z.boolean().nullish().describe('true returns server-sent events.'),
  // Events contain no padding that could hide their length.
  stream_options: z.strictObject({ include_obfuscation: z.literal(false).nullish() }).nullish(),
  max_output_tokens: z.int().min(1).max(1_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .max(128)
    .nullish(),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .strictObject({
      format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
      verbosity: z.enum(['low', 'medium', 'high']).nullish(),
    })
    .nullish(),
  reasoning: z
    .looseObject({ effort: z.string().max(20).nullish(), summary: z.string().max(20).nullish() })
    .nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish().describe('Returned unchanged.'),
  user: z.string().max(512).nullish(),
})

export type ResponsesInput = z.output<typeof requestFields>

const STATELESS = 'is not supported: responses are not stored; send the whole conversation as input'

/** Fields of the dialect that are rejected by name, unless they request the default behaviour. */
const REFUSED: RefusedFields = {
  previous_response_id: { reason: STATELESS },
  conversation: { reason: STATELESS },
  store: { reason: 'must be false: responses are not stored', isHarmless: (value) => value === false },
  background: { reason: 'must be false: responses are not stored', isHarmless: (value) => value === false },
  prompt: { reason: 'is not supported: prompts are not stored' },
  include: {
    reason: 'may only contain reasoning.encrypted_content, which has no effect',
    isHarmless: (value) =>
      Array.isArray(value) && value.every((name) => name === 'reasoning.encrypted_content'),
  },
  truncation: {
    reason: 'must be disabled: no part of the input is dropped',
    isHarmless: (value) => value === 'disabled',
  },
  service_tier: {
    reason: 'is not supported: the path determines the tier',
    isHarmless: (value) => value === 'auto' || value === 'default',
  },
  top_logprobs: { reason: 'must be 0', isHarmless: (value) => value === 0 },
  max_tool_calls: { reason: 'is not supported: the caller runs the tools' },
  context_management: { reason: STATELESS },
  client_metadata: IGNORED,
  prompt_cache_key: IGNORED,
  prompt_cache_options: IGNORED,
  prompt_cache_retention: IGNORED,
  safety_identifier: IGNORED,
}

/** Whether a name is a field of the dialect that is not declared: it is ignored or refused. */
export const isUndeclaredField = (name: string): boolean => Object.hasOwn(REFUSED, name)

export const findRefusedResponsesFields = (input: Readonly<Record<string, unknown>>) =>
  findRefusedFields(input, REFUSED)
