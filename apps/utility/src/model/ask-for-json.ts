import { parseJson } from '@tollbook/flow/parse-json'
import { ProblemError } from '@tollbook/http/problem'
import { ModelBusy, ModelFailed, ModelRefused } from '@tollbook/models/failure'
import type { OpenTier } from '@tollbook/models/tiers/open-tiers'

export type JsonQuestion<Answer> = {
  /** Written by this service; nothing of a caller or page belongs here. */
  readonly instruction: string
  /** What the caller asks, and the text that the model reads. */
  readonly content: string
  readonly schema: Readonly<Record<string, unknown>>
  /** Returns null if an answer does not match the schema. */
  readonly parse: (answer: unknown) => Answer | null
  readonly maxTokens: number
}

/** Characters of pages that the model reads for one answer. */
export const MAX_READ = 24_000

/**
 * Asks the operator's model for JSON, once, without tools.
 * @throws ProblemError, none of which is charged, if the model fails or its answer does not match the schema
 */
export async function askForJson<Answer>(
  { instruction, content, schema, parse, maxTokens }: JsonQuestion<Answer>,
  tier: OpenTier,
  signal: AbortSignal,
): Promise<Answer> {
  const request = {
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content },
    ],
    max_tokens: maxTokens,
    temperature: 0,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  }
  const { choices } = await tier.model.complete(request, signal).catch((error: unknown) => {
    throw toProblem(error)
  })
  const answer = parse(readJson(choices[0]?.message.content))
  if (answer !== null) return answer
  throw new ProblemError({
    code: 'upstream_failed',
    detail: 'The answer of the model does not match schema.',
  })
}

/** Some models put a code fence around their JSON. */
function readJson(text: unknown): unknown {
  return typeof text === 'string' ? parseJson(text.trim().replace(/^```(?:json)?|```$/g, '')) : null
}

function toProblem(error: unknown): unknown {
  if (error instanceof ModelRefused)
    return new ProblemError(
      { code: 'cannot_be_served', detail: 'The model refuses the page or schema.' },
      { cause: error },
    )
  if (error instanceof ModelBusy) {
    const { retryAfterSeconds } = error
    const detail = 'The model accepts no more requests at the moment.'
    return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds }, { cause: error })
  }
  if (error instanceof ModelFailed)
    return new ProblemError(
      { code: error.isLate ? 'upstream_timeout' : 'upstream_failed', detail: 'The model failed.' },
      { cause: error },
    )
  return error
}
