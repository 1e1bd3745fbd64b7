import { ProblemError } from '../problem.ts'
import { hasBearerKey } from '../request/api-key.ts'
import { createRateLimiter, tooMany } from '../request/rate-limit.ts'

/** Wrong keys of one address. */
const GUESSES_PER_MINUTE = 10

export type Asking = { readonly headers: Headers; readonly clientAddress: string }

/** Recognizes the operator by `Authorization: Bearer` with the key; wrong keys are limited by address. */
export type OperatorAccess = {
  /**
   * False if the request has no `Authorization`, or the operator no key.
   * @throws ProblemError `operator_key_required` for a wrong key, `rate_limited` after too many of them.
   */
  isOperator(request: Asking): boolean
  /** @throws ProblemError the same, also without any key. */
  require(request: Asking): void
}

export function createOperatorAccess(key: string | undefined): OperatorAccess {
  const guesses = createRateLimiter(GUESSES_PER_MINUTE)
  const isOperator = ({ headers, clientAddress }: Asking): boolean => {
    const authorization = headers.get('authorization')
    if (!authorization || key === undefined) return false
    const guess = guesses.open(clientAddress)
    if (guess.waitSeconds > 0)
      throw new ProblemError({
        ...tooMany(guess.waitSeconds),
        detail: `Too many wrong keys; retry in ${guess.waitSeconds} seconds.`,
      })
    if (!hasBearerKey(authorization, [key])) throw new ProblemError(toRefusal(', error="invalid_token"'))
    guess.giveBack()
    return true
  }
  return {
    isOperator,
    require(request) {
      if (!isOperator(request)) throw new ProblemError(toRefusal(''))
    },
  }
}

/** RFC 6750, section 3: no error code without a key. */
function toRefusal(error: string) {
  return {
    code: 'operator_key_required',
    detail: 'This needs the key of the operator: Authorization: Bearer <TOLLBOOK_OPERATOR_KEY>.',
    headers: { 'www-authenticate': `Bearer realm="Tollbook operator"${error}` },
  } as const
}
