import { createHash, timingSafeEqual } from 'node:crypto'
import { ProblemError } from '../problem.ts'
import { createRateLimiter, tooMany } from './rate-limit.ts'

/** Wrong keys of one address. */
const GUESSES_PER_MINUTE = 10

export type Asking = { readonly authorization?: string | null | undefined; readonly clientAddress: string }

/** Recognizes `Authorization: Bearer` with a key; wrong keys are limited by address. */
export type KeyAccess = {
  /**
   * False if the request has no `Authorization`, or there is no key.
   * @throws ProblemError with the code of the key for a wrong one, `rate_limited` after too many of them.
   */
  hasKey(request: Asking): boolean
  /** @throws ProblemError the same, also without any key. */
  require(request: Asking): void
}

/** @param realm what the keys open */
export function createKeyAccess(options: {
  readonly keys: readonly string[]
  readonly code: 'operator_key_required' | 'api_key_required'
  readonly realm: string
  readonly detail: string
}): KeyAccess {
  const { keys, realm, code, detail } = options
  const guesses = createRateLimiter(GUESSES_PER_MINUTE)
  /** RFC 6750, section 3: no error code without a key. */
  const toRefusal = (error: string) =>
    new ProblemError({
      code,
      detail,
      headers: { 'www-authenticate': `Bearer realm="${realm}"${error}` },
    })
  const hasKey = ({ authorization, clientAddress }: Asking): boolean => {
    if (!authorization || keys.length === 0) return false
    const guess = guesses.open(clientAddress)
    if (guess.waitSeconds > 0)
      throw new ProblemError({
        ...tooMany(guess.waitSeconds),
        detail: `Too many wrong keys; retry in ${guess.waitSeconds} seconds.`,
      })
    if (!isBearerKey(authorization, keys)) throw toRefusal(', error="invalid_token"')
    guess.giveBack()
    return true
  }
  return {
    hasKey,
    require(request) {
      if (!hasKey(request)) throw toRefusal('')
    },
  }
}

/** @param key absent: nobody is the operator */
export function createOperatorAccess(key: string | undefined): KeyAccess {
  return createKeyAccess({
    keys: key === undefined ? [] : [key],
    code: 'operator_key_required',
    realm: 'Tollbook operator',
    detail: 'This needs the key of the operator: Authorization: Bearer <TOLLBOOK_OPERATOR_KEY>.',
  })
}

/** Whether an `Authorization` header is `Bearer` (RFC 6750, section 2.1) with one of these keys. */
function isBearerKey(authorization: string, keys: readonly string[]): boolean {
  const provided = hash(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '')
  return keys.some((key) => timingSafeEqual(hash(key), provided))
}

/** Hashes have one length, so a comparison takes the same time for every key. */
function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
