import { TooManyFetches, Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { failed, type JsonAnswer, late, pausedFor } from './bluesky-problem.ts'

type Bounds = { readonly timeoutMs: number; readonly signal: AbortSignal }

/** A hundred posts with all their embeds have less than 2 MB; a thread may have thousands of replies. */
const MAX_BYTES = 8_000_000

/**
 * Fetches JSON, in one attempt.
 * @throws ProblemError if there is no answer, and the signal's reason if it was aborted.
 */
export async function readJson(
  fetch: SafeFetch,
  url: string,
  { timeoutMs, signal }: Bounds,
): Promise<JsonAnswer> {
  try {
    const request = { accept: 'application/json', maxBytes: MAX_BYTES, maxRedirects: 0, timeoutMs, signal }
    const { status, headers, body } = await fetch(url, request)
    return { status, headers, json: parse(body) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TooManyFetches)
      throw pausedFor(1_000, 'Too many concurrent requests to Bluesky; retry later.', error)
    if (error instanceof Unreachable && error.isLate) throw late(error)
    throw failed('Bluesky cannot be reached, or broke off its answer.', error)
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}
