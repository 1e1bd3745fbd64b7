import { askUpstreamJson, type UpstreamPlace } from '@tollbook/upstream/ask-upstream'
import * as z from 'zod'

/** Name of the upstream in messages to callers. */
export const SEARCH_UPSTREAM = 'search upstream'
export const TIMEOUT_MS = 15_000
/** Twenty results of maximum length are some 100 kB. */
export const MAX_BYTES = 2_000_000

type SearchRequest<Answer> = {
  readonly schema: z.ZodType<Answer>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Calls `/search` of an upstream by POST, which keeps queries out of access logs, and parses its JSON.
 * @throws ProblemError without text, address or credentials of the upstream.
 */
export function askSearch<Answer>(
  { url, fetch }: UpstreamPlace,
  request: SearchRequest<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  return askUpstreamJson(
    fetch,
    {
      ...request,
      method: 'POST',
      url: url.endsWith('/search') ? url : `${url}/search`,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      name: SEARCH_UPSTREAM,
      expected: 'search results',
    },
    signal,
  )
}

/** A text from an upstream; long ones are truncated, missing ones are empty. */
export const text = (maxChars: number) =>
  z
    .string()
    .nullish()
    .transform((value) => (value ?? '').replace(/\s+/g, ' ').trim().slice(0, maxChars))

export const MAX_LENGTH = { title: 500, content: 2_000 }

/**
 * A date from an upstream as ISO 8601; without a zone it is read as UTC, so that the result does not depend
 * on the machine.
 */
export const date = z
  .string()
  .nullish()
  .transform((value) => {
    if (!value) return null
    const isBare = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(value)
    const time = Date.parse(isBare ? `${value.replace(' ', 'T')}Z` : value)
    return Number.isNaN(time) ? null : new Date(time).toISOString()
  })
