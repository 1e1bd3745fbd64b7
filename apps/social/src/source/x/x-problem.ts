import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import { ProblemError } from '@tollbook/http/problem'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import { failed, refusedParameters, reportsGone, type XEnvelope } from './x-envelope.ts'

type Refused = {
  readonly answer: FetchedAnswer
  readonly envelope: XEnvelope | null
  /** Whether the request was sent with a user's token. */
  readonly isUser: boolean
  /** Epoch milliseconds. */
  readonly nowMs: number
}

const MAX_PAUSE_S = 86_400

/** The problem that callers receive for an error of the X API; null if the requested object does not exist. */
export function problemOf({ answer, envelope, isUser, nowMs }: Refused): ProblemError | null {
  const { status, headers } = answer
  switch (status) {
    case 400:
      return malformed(refusedParameters(envelope))
    case 401:
      if (!isUser) return failed('The X API rejected the credentials of this service.')
      return new ProblemError({
        code: 'credential_refused',
        detail: 'The X API no longer accepts the session of this user; open a new one.',
      })
    case 403:
      if (reportsGone(envelope)) return null
      if (!isUser) return failed('The X API rejected the request of this service.')
      return new ProblemError({
        code: 'credential_refused',
        detail: 'The X API does not allow this user to do that, or the session lacks the permission.',
      })
    case 404:
      // Without an error body the URL is wrong, and nothing is known about the object.
      return reportsGone(envelope) ? null : failed('The X API answered with status 404.')
    case 429:
    case 503: {
      const reset = Number(headers['x-rate-limit-reset'] ?? Number.NaN) * 1000 - nowMs
      const waitMs = Number.isNaN(reset) ? readRetryAfterMs(headers, nowMs) : reset
      const retryAfterSeconds = Math.min(MAX_PAUSE_S, Math.max(1, Math.ceil(waitMs / 1000)))
      const detail =
        status === 429
          ? "The X API's rate limit for this operation is reached; retry later."
          : 'The X API is unavailable; retry later.'
      if (status === 503) return new ProblemError({ code: 'upstream_failed', detail, retryAfterSeconds })
      return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds })
    }
    default:
      return failed(`The X API answered with status ${status}.`)
  }
}

function malformed(parameters: readonly string[]): ProblemError {
  if (parameters.includes('pagination_token') || parameters.includes('next_token'))
    return new ProblemError({
      code: 'cannot_be_served',
      detail: 'The X API no longer accepts this next_token; start again without it.',
    })
  if (parameters.includes('query'))
    return new ProblemError({
      code: 'cannot_be_served',
      detail: 'The X API cannot process this query; remove unusual characters, or use fewer filters.',
    })
  return failed('The X API answered with status 400.')
}
