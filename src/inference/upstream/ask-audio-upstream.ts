import { ProblemError } from '../../catalogue/problem.ts'
import { Unreachable } from '../../fetching/failure.ts'
import type { FetchedAnswer } from '../../fetching/fetched-answer.ts'
import { readRetryAfterMs } from '../../fetching/retry-after.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'

export type AudioRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
  readonly maxBytes: number
  readonly timeoutMs: number
  /** What the upstream is called to callers, such as `transcription upstream`. */
  readonly name: string
}

/**
 * Posts to an upstream of the operator; gives its answer with status 200.
 * @throws ProblemError without the upstream's words, address or key: `upstream_timeout`, `unavailable` with the time
 * to come back where it takes no more requests, else `upstream_failed`; the signal's reason.
 */
export async function askAudioUpstream(
  fetch: SafeFetch,
  { url, name, ...request }: AudioRequest,
  signal: AbortSignal,
): Promise<FetchedAnswer> {
  let answer: FetchedAnswer
  try {
    answer = await fetch(url, { method: 'POST', ...request, maxRedirects: 0, signal })
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
  if (answer.status !== 429)
    throw new ProblemError({ code: 'upstream_failed', detail: `The ${name} answered ${answer.status}.` })
  throw new ProblemError({
    code: 'unavailable',
    detail: `The ${name} takes no more requests for now.`,
    retryAfterSeconds: Math.max(1, Math.ceil(readRetryAfterMs(answer.headers) / 1000)),
  })
}
