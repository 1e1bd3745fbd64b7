import * as z from 'zod'

const MAX_URL_LENGTH = 2048
/** z.base64 takes three times as long on a data URL or source of several megabytes. */
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const data = z.string().regex(BASE64, 'must be base64')
const url = z
  .string()
  .max(MAX_URL_LENGTH)
  .regex(/^https?:\/\//i, 'must be an http(s) URL')
/** A hint for the upstream's cache; it does not change the answer. */
const cache_control = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).nullish() })
  .nullish()
const citations = z.strictObject({ enabled: z.boolean().nullish() }).nullish()
const NOT_KEPT = 'must contain the content or its URL: files are not stored, so file_id is not supported'

const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control,
  // From an earlier answer.
  citations: z.array(z.looseObject({ type: z.string() })).nullish(),
})
const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion(
    'type',
    [
      z.strictObject({
        type: z.literal('base64'),
        media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
        data,
      }),
      z.strictObject({ type: z.literal('url'), url }),
    ],
    { error: NOT_KEPT },
  ),
  cache_control,
})
const documentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data }),
      z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
      z.strictObject({
        type: z.literal('content'),
        content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]),
      }),
      z.strictObject({ type: z.literal('url'), url }),
    ],
    { error: NOT_KEPT },
  ),
  title: z.string().max(500).nullish(),
  context: z.string().nullish(),
  cache_control,
  citations,
})
const searchResultBlock = z.strictObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock),
  cache_control,
  citations,
})
const resultContent = [textBlock, imageBlock, documentBlock, searchResultBlock] as const
const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', resultContent))]).nullish(),
  is_error: z.boolean().nullish(),
  toolset_name: z.string().nullish(),
  cache_control,
})
const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  caller: z.strictObject({ type: z.literal('direct') }).nullish(),
  toolset_name: z.string().nullish(),
  cache_control,
})
const thinkingBlock = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
})
const redactedBlock = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() })

const texts = z.union([z.string(), z.array(textBlock)])
const NO_SUCH_BLOCK = 'is not a content type allowed here for this role'
const blocks = <
  const Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(
  options: Options,
) => z.union([z.string(), z.array(z.discriminatedUnion('type', options, { error: NO_SUCH_BLOCK }))])

const turn = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: blocks([...resultContent, toolResultBlock]) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: blocks([textBlock, thinkingBlock, redactedBlock, toolUseBlock]),
  }),
  z.strictObject({ role: z.literal('system'), content: texts }),
])

const tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().min(1).max(128),
  description: z.string().nullish(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().nullish(),
  input_examples: z.array(z.record(z.string(), z.unknown())).nullish(),
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.literal(false, { error: 'must be false: tool search is not supported' }).nullish(),
  allowed_callers: z
    .array(z.literal('direct', { error: 'must be direct: code execution is not supported' }))
    .nullish(),
  cache_control,
})

const display = z.enum(['summarized', 'omitted']).nullish()
const disable_parallel_tool_use = z.boolean().nullish()

/**
 * The part of a request that reaches a model (https://platform.claude.com/docs/en/api/messages/create). Every
 * member is declared, so that none is dropped silently. The adapter sets `model` and `stream`.
 */
export const messagesRequest = z.strictObject({
  max_tokens: z.int().min(1),
  messages: z.array(turn).min(1),
  system: texts.nullish(),
  stop_sequences: z.array(z.string().min(1)).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use }),
      z.strictObject({ type: z.literal('any'), disable_parallel_tool_use }),
      z.strictObject({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .nullish(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1), display }),
      z.strictObject({ type: z.literal('adaptive'), display }),
      z.strictObject({ type: z.literal('between_tools') }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .nullish(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z
        .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
        .nullish(),
    })
    .nullish(),
  metadata: z.strictObject({ user_id: z.string().max(512).nullish() }).nullish(),
  cache_control,
  // For older models; still in the API reference.
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
})

export type MessagesRequest = Readonly<z.output<typeof messagesRequest>>
export type Turn = z.output<typeof turn>
export type UserBlock = Exclude<Extract<Turn, { role: 'user' }>['content'], string>[number]
export type AssistantBlock = Exclude<Extract<Turn, { role: 'assistant' }>['content'], string>[number]
export type ResultBlock = z.output<(typeof resultContent)[number]>
export type ImageBlock = z.output<typeof imageBlock>
export type Tool = z.output<typeof tool>
