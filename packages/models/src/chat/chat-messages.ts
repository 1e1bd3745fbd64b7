import { isRecord } from '@tollbook/flow/is-record'
import * as z from 'zod'

const count = z.int().min(0)

/** Usage as counted by the upstream; unknown members are passed on unchanged. */
const usage = z.looseObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count.optional(),
  prompt_tokens_details: z.looseObject({ cached_tokens: count.nullish() }).nullish(),
})

/**
 * A whole answer, https://platform.openai.com/docs/api-reference/chat/object; unknown members are passed on
 * unchanged.
 */
export const chatCompletion = z.looseObject({
  id: z.string().optional(),
  created: z.number().optional(),
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({ role: z.literal('assistant').default('assistant') }),
        // Some servers omit it from whole answers.
        finish_reason: z
          .string()
          .nullish()
          .transform((reason) => reason ?? 'stop'),
      }),
    )
    .min(1),
  usage: usage.nullish().transform((counts) => counts ?? undefined),
})

/** One chunk of a stream, https://platform.openai.com/docs/api-reference/chat-streaming. */
const chatChunk = z.looseObject({
  id: z.string().optional(),
  created: z.number().optional(),
  choices: z
    .array(
      z.looseObject({
        delta: z.looseObject({}).optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: usage.nullish(),
})

export type ChatCompletion = Readonly<z.output<typeof chatCompletion>>
export type ChatChunk = Readonly<z.output<typeof chatChunk>>

/** Parses a chunk; null if it is none. The schema is for uncommon chunks, since it takes as long as the JSON. */
export function parseChatChunk(value: unknown): ChatChunk | null {
  return isPlainChunk(value) ? value : (chatChunk.safeParse(value).data ?? null)
}

/** Whether a chunk is one of text without counts, which the schema would leave as it is. */
function isPlainChunk(value: unknown): value is ChatChunk {
  if (!isRecord(value)) return false
  const { id = '', created = 0, choices, usage } = value
  if (typeof id !== 'string' || typeof created !== 'number') return false
  return usage == null && Array.isArray(choices) && choices.every(isPlainChoice)
}

function isPlainChoice(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { delta = {}, finish_reason } = value
  return isRecord(delta) && (finish_reason == null || typeof finish_reason === 'string')
}

/**
 * A chat completions request, already validated by the caller. The adapter sets `model`, `stream` and
 * `stream_options`. `max_tokens` limits the answer, whatever the upstream's name for it.
 */
export type ChatRequest = Readonly<Record<string, unknown>> & {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly max_tokens?: number
}

/** Whether a chunk has content that the caller requested, not just a preamble or usage. */
export function hasContent({ choices }: ChatChunk): boolean {
  return choices.some(
    ({ delta = {}, finish_reason }) =>
      typeof finish_reason === 'string' ||
      Object.entries(delta).some(([name, value]) => name !== 'role' && isSomething(value)),
  )
}

function isSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== null && value !== undefined && value !== ''
}
