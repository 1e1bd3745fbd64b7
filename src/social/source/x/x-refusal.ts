import { ProblemError } from '../../../catalogue/problem.ts'
import type { FetchedAnswer } from '../../../fetching/fetched-answer.ts'
import { readRetryAfterMs } from '../../../fetching/retry-after.ts'
import { failed, refusedParameters, tellsGone, type XEnvelope } from './x-envelope.ts'

type Refused = {
  readonly answer: FetchedAnswer
  readonly envelope: XEnvelope | null
  /** Whether it was asked with the token of a user. */
  readonly isUser: boolean
  /** Epoch milliseconds. */
  readonly nowMs: number
}

const MAX_PAUSE_S = 86_400

/** What callers are told of an answer that is none; null when it says that what was asked for is not there. */
export function refusalOf({ answer, envelope, isUser, nowMs }: Refused): ProblemError | null {
  const { status, headers } = answer
  switch (status) {
    case 400:
      return malformed(refusedParameters(envelope))
    case 401:
      if (!isUser) return failed('The X API refused the credentials of this service.')
      return new ProblemError({
        code: 'credential_refused',
        detail: 'The X API no longer takes the session of this user; open a new one.',
      })
    case 403:
      if (tellsGone(envelope)) return null
      if (!isUser) return failed('The X API refused the request to this service.')
      return new ProblemError({
        code: 'credential_refused',
        detail: 'The X API does not allow this user to do that, or the session was not given the right to.',
      })
    case 404:
      // Without its own words it is the address that is wrong, and nothing is known of the object.
      return tellsGone(envelope) ? null : failed('The X API answered 404.')
    case 429:
    case 503: {
      const reset = Number(headers['x-rate-limit-reset'] ?? Number.NaN) * 1000 - nowMs
      const waitMs = Number.isNaN(reset) ? readRetryAfterMs(headers, nowMs) : reset
      const retryAfterSeconds = Math.min(MAX_PAUSE_S, Math.max(1, Math.ceil(waitMs / 1000)))
      const detail =
        status === 429
          ? 'The X API takes no more requests of this kind for now.'
          : 'The X API is unavailable for now.'
      if (status === 503) return new ProblemError({ code: 'upstream_failed', detail, retryAfterSeconds })
      return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds })
    }
    default:
      return failed(`The X API answered ${status}.`)
  }
}

function malformed(parameters: readonly string[]): ProblemError {
  if (parameters.includes('pagination_token') || parameters.includes('next_token'))
    return new ProblemError({
      code: 'cannot_be_served',
      detail: 'The X API no longer knows the page after this next_token; begin again without it.',
    })
  if (parameters.includes('query'))
    return new ProblemError({
      code: 'cannot_be_served',
      detail: 'The X API cannot look for that; leave out unusual signs, or name fewer filters.',
    })
  return failed('The X API answered 400.')
}
