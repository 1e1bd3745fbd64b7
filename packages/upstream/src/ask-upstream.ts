import { Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import { inStep, traceHeaders } from '@tollbook/flow/trace'
import { type Problem, ProblemError } from '@tollbook/http/problem'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type * as z from 'zod'

/** The address of an upstream, and how to reach it; chosen by the operator, so it may be in a private network. */
export type UpstreamPlace = { readonly url: string; readonly fetch: SafeFetch }

export type UpstreamRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  readonly accept?: string
  readonly maxBytes: number
  readonly timeoutMs: number
  /** The name of the upstream in messages to callers, such as `search upstream`. */
  readonly name: string
  /** The problem for an answer that rejects the request, rather than failing; default none. */
  readonly findRefusal?: (answer: FetchedAnswer) => Problem | null
}

/**
 * Calls an upstream of the operator; returns its answer with status 200.
 * @throws ProblemError without the upstream's text, address or credentials: `upstream_timeout`, `unavailable`
 * with Retry-After if it accepts no more requests, otherwise `upstream_failed`.
 */
export async function askUpstream(
  fetch: SafeFetch,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<FetchedAnswer> {
  const { url, name, findRefusal, ...rest } = request
  let answer: FetchedAnswer
  try {
    answer = await inStep(
      name,
      () =>
        fetch(url, {
          ...rest,
          headers: { ...rest.headers, ...traceHeaders() },
          accept: rest.accept ?? 'application/json',
          maxRedirects: 0,
          signal,
        }),
      CLIENT,
    )
  } catch (error) {
    signal.throwIfAborted()
    const isLate = error instanceof Unreachable && error.isLate
    const detail = isLate ? `The ${name} took too long.` : `The ${name} cannot be reached.`
    throw new ProblemError(
      { code: isLate ? 'upstream_timeout' : 'upstream_failed', detail },
      { cause: error },
    )
  }
  if (answer.status === 200) return answer
  const refusal = findRefusal?.(answer)
  if (refusal) throw new ProblemError(refusal)
  if (answer.status !== 429) throw failed(`The ${name} answered ${answer.status}.`)
  throw new ProblemError({
    code: 'unavailable',
    detail: `The ${name} accepts no more requests for now.`,
    retryAfterSeconds: Math.max(1, Math.ceil(readRetryAfterMs(answer.headers) / 1000)),
  })
}

/**
 * Calls an upstream of the operator and reads its JSON.
 * @param expected what the answer should contain, such as `search results`
 * @throws ProblemError as `askUpstream` does, and `upstream_failed` if the answer has another form.
 */
export async function askUpstreamJson<Answer>(
  fetch: SafeFetch,
  request: UpstreamRequest & { readonly schema: z.ZodType<Answer>; readonly expected: string },
  signal: AbortSignal,
): Promise<Answer> {
  const { schema, expected, ...rest } = request
  const { body } = await askUpstream(fetch, rest, signal)
  const read = schema.safeParse(parseJson(body))
  if (!read.success) throw failed(`The ${request.name} answered with something other than ${expected}.`)
  return read.data
}

const CLIENT = { kind: 'client' } as const

function failed(detail: string): ProblemError {
  return new ProblemError({ code: 'upstream_failed', detail })
}
