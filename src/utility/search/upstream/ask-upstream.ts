import * as z from 'zod'
import { ProblemError } from '../../../catalogue/problem.ts'
import { Unreachable } from '../../../fetching/failure.ts'
import type { FetchedAnswer, FetchRequest } from '../../../fetching/fetched-answer.ts'
import { readRetryAfterMs } from '../../../fetching/retry-after.ts'
import type { SafeFetch } from '../../../fetching/safe-fetch.ts'

const TIMEOUT_MS = 15_000
/** Twenty results of the longest kind are some 100 kB. */
const MOST_BYTES = 2_000_000

/** Where an upstream is, and the way to it; the operator named it, so it may stand in a private network. */
export type UpstreamPlace = { readonly url: string; readonly fetch: SafeFetch }

type UpstreamRequest<Answer> = {
  readonly schema: z.ZodType<Answer>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Asks `/search` of an upstream by POST, which keeps queries out of access logs, and reads its JSON.
 * @throws ProblemError without the upstream's words, address or credentials.
 */
export async function askUpstream<Answer>(
  { url, fetch }: UpstreamPlace,
  { schema, headers, body }: UpstreamRequest<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const request: FetchRequest = {
    ...{ method: 'POST', headers, body, accept: 'application/json', signal },
    ...{ maxBytes: MOST_BYTES, timeoutMs: TIMEOUT_MS, maxRedirects: 0 },
  }
  let answer: FetchedAnswer
  try {
    answer = await fetch(url.endsWith('/search') ? url : `${url}/search`, request)
  } catch (error) {
    signal.throwIfAborted()
    const isLate = error instanceof Unreachable && error.isLate
    const detail = isLate ? 'The search upstream took too long.' : 'The search upstream cannot be reached.'
    throw new ProblemError(
      { code: isLate ? 'upstream_timeout' : 'upstream_failed', detail },
      { cause: error },
    )
  }
  if (answer.status === 429) {
    const detail = 'The search upstream takes no more requests for now.'
    const retryAfterSeconds = Math.max(1, Math.ceil(readRetryAfterMs(answer.headers) / 1000))
    throw new ProblemError({ code: 'unavailable', detail, retryAfterSeconds })
  }
  if (answer.status !== 200) {
    const detail = `The search upstream answered ${answer.status}.`
    throw new ProblemError({ code: 'upstream_failed', detail })
  }
  const read = schema.safeParse(parseJson(answer.body))
  if (!read.success) {
    const detail = 'The search upstream answered with something else than search results.'
    throw new ProblemError({ code: 'upstream_failed', detail })
  }
  return read.data
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // Not JSON is no search result either.
    return undefined
  }
}

/** A text of an upstream; longer ones are cut, absent ones are empty. */
export const text = (mostChars: number) =>
  z
    .string()
    .nullish()
    .transform((value) => (value ?? '').replace(/\s+/g, ' ').trim().slice(0, mostChars))

export const LONGEST = { title: 500, content: 2_000 }

/** A date of an upstream as ISO 8601; without a zone it counts as UTC, so that every machine answers the same. */
export const date = z
  .string()
  .nullish()
  .transform((value) => {
    if (!value) return null
    const isBare = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)
    const time = Date.parse(isBare ? `${value.replace(' ', 'T')}Z` : value)
    return Number.isNaN(time) ? null : new Date(time).toISOString()
  })
