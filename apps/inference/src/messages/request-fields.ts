import * as z from 'zod'
import { findRefusedFields, type RefusedFields } from '../refused-fields.ts'

/**
 * The fields of https://platform.claude.com/docs/en/api/messages/create that reach the model.
 * `readMessagesRequest` validates their contents in detail: the full schema would not fit into the header of
 * a challenge.
 */
export const requestFields = z.object({
  model: z
    .string()
    .max(200)
    .nullish()
    .describe('On /v1/messages: an id of the list of models selects its tier. Otherwise any value.'),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']) }))
    .min(1)
    .max(10_000)
    .describe('The conversation; content may be text or blocks with images and documents.'),
  max_tokens: z.int().min(1).max(1_000_000).describe('Max tokens of the answer.'),
  system: z.union([z.string(), z.array(z.looseObject({ type: z.literal('text') }))]).nullish(),
  stream: z.boolean().nullish().describe('true returns server-sent events.'),
  stop_sequences: z.array(z.string()).max(100).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  tools: z
    .array(z.looseObject({ name: z.string() }))
    .max(128)
    .nullish(),
  tool_choice: z.looseObject({ type: z.string() }).nullish(),
  thinking: z.looseObject({ type: z.string() }).nullish(),
  output_config: z.looseObject({}).nullish(),
  metadata: z.looseObject({}).nullish(),
  cache_control: z.looseObject({}).nullish(),
})

/** The same without the fields of an answer. */
export const countFields = requestFields.omit({ max_tokens: true, stream: true })

export type MessagesInput = z.output<typeof requestFields>
export type CountInput = z.output<typeof countFields>

const NOT_OFFERED = 'is not supported'

/** An edit that removes nothing, as Claude Code sends it. */
const keepsAll = z.object({ type: z.string().startsWith('clear_thinking_'), keep: z.literal('all') })
const contextKept = z.object({ edits: z.array(keepsAll) })
const keepsContext = (value: unknown) => contextKept.safeParse(value).success

/** Fields of the dialect that are rejected by name, unless they request the default behaviour. */
const REFUSED: RefusedFields = {
  container: { reason: `${NOT_OFFERED}: the service runs no code` },
  mcp_servers: { reason: `${NOT_OFFERED}: the caller calls the tools` },
  context_management: { reason: `${NOT_OFFERED}: calls are stateless`, isHarmless: keepsContext },
  thread: {
    reason: `${NOT_OFFERED}: calls are stateless; send the whole conversation`,
    // By it the tool runner of Anthropic's SDK, which asks for a thread by default, continues without one.
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  },
  diagnostics: { reason: `${NOT_OFFERED}: calls are stateless` },
  inference_geo: { reason: `${NOT_OFFERED}: the operator chooses where the model runs` },
  service_tier: {
    reason: `${NOT_OFFERED}: each call has one price`,
    isHarmless: (value) => value === 'auto' || value === 'standard_only',
  },
  speed: {
    reason: 'must be standard: each call has one price',
    isHarmless: (value) => value === 'standard',
  },
  output_format: { reason: `${NOT_OFFERED}: send output_config.format` },
  fallbacks: { reason: `${NOT_OFFERED}: the operator chooses the model` },
}

/** Query parameters that SDKs add for features which the fields request. */
const BETA = 'beta'

/** Whether a name is a field of the dialect that is not declared. */
export function isUndeclaredField(name: string): boolean {
  return name === BETA || Object.hasOwn(REFUSED, name)
}

export const findRefusedMessagesFields = (input: Readonly<Record<string, unknown>>) =>
  findRefusedFields(input, REFUSED)
