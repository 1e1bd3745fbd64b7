import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type BreakerOptions,
  type CircuitBreaker,
  createCircuitBreaker,
  Paused,
  type Verdict,
} from '@tollbook/flow/circuit-breaker'
import { TooManyFetches, Unreachable } from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import type { FetchedAnswer, FetchRequest } from '@tollbook/safe-fetch/fetched-answer'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { SocialOperation } from '../provider.ts'
import { createSingleFlight } from '../upstream/single-flight.ts'
import type { UpstreamBudget } from '../upstream/upstream-budget.ts'
import { fieldParameters, type XDialect, type XFields } from './dialect.ts'
import { createRateLimits, type RateLimits } from './rate-limits.ts'
import { acceptEnvelope, failed, parseEnvelope, refusedParameters, type XEnvelope } from './x-envelope.ts'
import { problemOf } from './x-problem.ts'

export type XClientOptions = {
  /** Base URL of the API without a trailing slash, such as `https://api.x.com`. */
  readonly url: string
  /** The app's token, for all operations without a user. */
  readonly bearerToken: string
  readonly dialect: XDialect | 'auto'
  readonly fetch: SafeFetch
  readonly budget: UpstreamBudget
  /** The current time, epoch milliseconds. */
  readonly nowMs: () => number
  /** Timeout for all attempts of one read, ms; default 9,000, below the time limit of every endpoint. */
  readonly deadlineMs?: number
  readonly breaker?: BreakerOptions
}

export type XRequest = {
  readonly operation: SocialOperation
  /** The route without ids: each has its own rate limit. */
  readonly route: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly fields: XFields
  /** The user's token, used instead of the app's. */
  readonly userToken?: string
  /** A request with a body is a POST, which is sent once. */
  readonly body?: { readonly contentType: string; readonly bytes: Uint8Array }
  /** Maximum number of objects in the answer: what is taken from the budget. */
  readonly objects: number
  readonly signal: AbortSignal
}

/** The objects that a request counts for in the budget. */
type Bill = { objects: number }

const DEADLINE_MS = 9_000
const MAX_ATTEMPTS = 3
/** Delay before the second attempt, doubled before the third, ms. */
const FIRST_WAIT_MS = 150
/** A rate limit that ends later than this is not waited for, ms. */
const MAX_WAIT_MS = 2_000
/** A hundred tweets of maximum length with everything they refer to have less than 2 MB. */
const MAX_BYTES = 8_000_000
const DIALECT_PARAMETERS = new Set([
  'tweet.fields',
  'post.fields',
  'user.fields',
  'list.fields',
  'expansions',
])

/** A client of the X API v2; concurrent identical reads share one request, within the rate limits and the budget. */
export class XClient {
  readonly #options: XClientOptions
  readonly #deadlineMs: number
  readonly #once = createSingleFlight<XEnvelope | null>()
  readonly #breaker: CircuitBreaker
  readonly #limits: RateLimits
  #dialect: XDialect

  constructor(options: XClientOptions) {
    this.#options = options
    this.#deadlineMs = options.deadlineMs ?? DEADLINE_MS
    this.#breaker = createCircuitBreaker(options.breaker)
    this.#limits = createRateLimits(options.nowMs)
    this.#dialect = options.dialect === 'auto' ? 'tweet' : options.dialect
  }

  /**
   * Queries the X API; null if it reports that the requested object does not exist.
   * @throws ProblemError with the reason, but without the API's own error message and any credentials.
   */
  async ask(request: XRequest): Promise<XEnvelope | null> {
    if (request.body) return this.#askWithin(request, request.signal)
    const key = JSON.stringify([windowOf(request), request.operation, this.#addressOf(request)])
    return this.#once(key, request.signal, (shared) => this.#askWithin(request, shared))
  }

  /** How long the app pauses this route, ms; synchronous. */
  pausedMs(operation: SocialOperation, route: string): number {
    const { budget } = this.#options
    return Math.max(this.#breaker.leftMs(), this.#limits.leftMs(`${route} app`), budget.spentMs(operation))
  }

  /** How long the circuit breaker stays open, ms; 0 if it is closed. */
  breakerOpenMs(): number {
    return this.#breaker.leftMs()
  }

  /** Respects the rate limit, the budget and the circuit breaker. */
  async #askWithin(request: XRequest, signal: AbortSignal): Promise<XEnvelope | null> {
    const leftMs = this.#limits.leftMs(windowOf(request))
    if (leftMs > 0)
      throw pausedFor(leftMs, "The X API's rate limit for this operation is reached; retry later.")
    const settle = await this.#options.budget.reserve(request.operation, request.objects)
    // Until the outcome is known, X is assumed to have counted the maximum.
    const bill = { objects: request.objects }
    try {
      return await this.#breaker.run(() => this.#askAndRead(request, bill, signal), judge)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof Paused)) throw error
      bill.objects = 0
      throw pausedFor(error.leftMs, 'The X API is failing; retry later.')
    } finally {
      await settle(bill.objects)
    }
  }

  async #askAndRead(request: XRequest, bill: Bill, signal: AbortSignal): Promise<XEnvelope | null> {
    const endsMs = performance.now() + this.#deadlineMs
    const sentDialect = this.#dialect
    const answer = await this.#askAgain(request, { bill, endsMs, signal })
    const envelope = parseEnvelope(answer.body)
    if (answer.status === 400 && this.#options.dialect === 'auto' && sentDialect === 'tweet') {
      if (refusedParameters(envelope).some((name) => DIALECT_PARAMETERS.has(name))) {
        this.#dialect = 'post'
        return this.#askAndRead(request, bill, signal)
      }
    }
    if (answer.status !== 200 && answer.status !== 201) {
      bill.objects = 0
      const isUser = request.userToken !== undefined
      const problem = problemOf({ answer, envelope, isUser, nowMs: this.#options.nowMs() })
      if (problem) throw problem
      return null
    }
    if (!envelope) throw failed("The X API's answer is not valid JSON.")
    bill.objects = countObjects(envelope)
    return acceptEnvelope(envelope)
  }

  /** Retries until there is a valid answer, as far as attempts and time allow. */
  async #askAgain(
    request: XRequest,
    { bill, endsMs, signal }: { readonly bill: Bill; readonly endsMs: number; readonly signal: AbortSignal },
  ): Promise<FetchedAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const leftMs = endsMs - performance.now()
      const answer = await this.#send(request, leftMs, signal).catch((error: unknown) => {
        bill.objects = wasSent(error) ? request.objects : 0
        return toProblem(error, signal)
      })
      if (!(answer instanceof ProblemError))
        this.#limits.take(windowOf(request), answer.status, answer.headers)
      const waitMs = this.#waitAfter(answer, request, FIRST_WAIT_MS * attempt)
      const isLast = attempt === MAX_ATTEMPTS || waitMs === null || waitMs >= endsMs - performance.now()
      if (!isLast) await wait(waitMs, undefined, { signal })
      else if (answer instanceof ProblemError) throw answer
      else return answer
    }
  }

  /** Delay before the next attempt, ms; null if a retry is pointless. */
  #waitAfter(answer: FetchedAnswer | ProblemError, request: XRequest, pauseMs: number): number | null {
    if (answer instanceof ProblemError)
      return answer.problem.code === 'upstream_failed' && !request.body ? pauseMs : null
    if (answer.status === 429) {
      const leftMs = this.#limits.leftMs(windowOf(request))
      return leftMs <= MAX_WAIT_MS ? leftMs + 1 : null
    }
    return answer.status >= 500 && !request.body ? pauseMs : null
  }

  #addressOf({ path, query, fields }: XRequest): string {
    const parameters = new URLSearchParams({ ...query, ...fieldParameters(fields, this.#dialect) })
    return `${this.#options.url}${path}${parameters.size > 0 ? `?${parameters}` : ''}`
  }

  #send(request: XRequest, timeoutMs: number, signal: AbortSignal): Promise<FetchedAnswer> {
    const { body, userToken } = request
    const fetched: FetchRequest = {
      accept: 'application/json',
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      signal,
      timeoutMs: Math.max(1, Math.ceil(timeoutMs)),
      headers: {
        authorization: `Bearer ${userToken ?? this.#options.bearerToken}`,
        ...(body && { 'content-type': body.contentType }),
      },
      ...(body && { method: 'POST', body: body.bytes }),
    }
    return this.#options.fetch(this.#addressOf(request), fetched)
  }
}

/**
 * Effect of an error on the circuit breaker: the X API's own failures count, invalid arguments and users'
 * tokens do not.
 */
function judge(error: unknown): Verdict {
  if (!(error instanceof ProblemError)) return 'nothing'
  switch (error.problem.code) {
    case 'upstream_failed':
    case 'upstream_timeout':
      return 'failure'
    case 'cannot_be_served':
    case 'credential_refused':
      return 'refusal'
    default:
      // A rate limit applies to its route only.
      return 'nothing'
  }
}

/** The credential whose rate limit a request counts against; the token itself is not stored. */
function windowOf({ route, userToken }: XRequest): string {
  if (userToken === undefined) return `${route} app`
  return `${route} ${createHash('sha256').update(userToken).digest('base64url').slice(0, 22)}`
}

/** A single object counts as one, and so does an answer that it does not exist. */
function countObjects({ data }: XEnvelope): number {
  return Array.isArray(data) ? data.length : 1
}

/** Whether a failed request may have reached X, which then may have counted it. */
function wasSent(error: unknown): boolean {
  if (error instanceof TooManyFetches) return false
  return !(
    error instanceof Unreachable &&
    (error.phase === 'dns' || error.phase === 'connect' || error.phase === 'tls')
  )
}

function toProblem(error: unknown, signal: AbortSignal): ProblemError {
  signal.throwIfAborted()
  if (error instanceof TooManyFetches)
    return pausedFor(1_000, 'Too many concurrent requests to the X API; retry later.', error)
  if (error instanceof Unreachable && error.isLate) {
    const detail = 'The X API timed out.'
    return new ProblemError({ code: 'upstream_timeout', detail }, { cause: error })
  }
  return failed('The X API cannot be reached, or broke off its answer.', error)
}

function pausedFor(leftMs: number, detail: string, cause?: unknown): ProblemError {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
  return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds }, { cause })
}
