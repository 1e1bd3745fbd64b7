import { setTimeout as wait } from 'node:timers/promises'
import {
  type BreakerOptions,
  createCircuitBreaker,
  Paused,
  type Verdict,
} from '@tollbook/flow/circuit-breaker'
import { ProblemError } from '@tollbook/http/problem'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type * as z from 'zod'
import { createSingleFlight } from '../upstream/single-flight.ts'
import { failed, isTransient, type JsonAnswer, pausedFor, problemOf } from './bluesky-problem.ts'
import { readJson } from './read-json.ts'

export type BlueskyClientOptions = {
  /** Base URL of the AppView without a trailing slash, such as `https://public.api.bsky.app`. */
  readonly url: string
  readonly fetch: SafeFetch
  /** The current time, epoch milliseconds. */
  readonly nowMs: () => number
  /** Timeout for all attempts of one read, ms; default 7,000, below the time limit of endpoints with several reads. */
  readonly deadlineMs?: number
  readonly breaker?: BreakerOptions
}

/** Parameters of a read; a list is sent as repeated parameters. */
export type Parameters = Readonly<Record<string, string | number | readonly string[]>>

export type BlueskyClient = {
  /**
   * Queries the AppView; null if it reports that the requested object does not exist.
   * @param method the NSID of a query, such as `app.bsky.feed.getPosts`.
   * @throws ProblemError with the reason, but without the AppView's own error message.
   */
  ask<Schema extends z.ZodType>(
    asked: { readonly method: string; readonly parameters: Parameters; readonly answer: Schema },
    signal: AbortSignal,
  ): Promise<z.output<Schema> | null>
  /** How long calls are still paused, ms; 0 if they are not. */
  pausedMs(): number
}

const DEADLINE_MS = 7_000
const MAX_ATTEMPTS = 3
/** Delay before the second attempt, doubled before the third, ms. */
const FIRST_WAIT_MS = 150

/** A client of the AppView's public queries; concurrent identical reads share one request. */
export function createBlueskyClient(options: BlueskyClientOptions): BlueskyClient {
  const { url, fetch, nowMs, deadlineMs = DEADLINE_MS } = options
  const once = createSingleFlight<unknown>()
  const breaker = createCircuitBreaker(options.breaker)

  return {
    async ask({ method, parameters, answer }, signal) {
      const address = toAddress(url, method, parameters)
      const provided = await once(address, signal, (shared) => askOnce(address, shared))
      if (provided === null) return null
      const parsed = answer.safeParse(provided)
      if (!parsed.success) throw failed("Bluesky's answer has an unexpected format.")
      return parsed.data
    },
    pausedMs: () => breaker.leftMs(),
  }

  async function askOnce(address: string, signal: AbortSignal): Promise<unknown> {
    try {
      const answer = await breaker.run(() => askAgain(address, signal), judge)
      return answer === null ? null : answer.json
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Paused)
        throw pausedFor(error.leftMs, 'Bluesky is failing or rate limited; retry later.')
      throw error
    }
  }

  /** Retries until there is a valid answer, as far as attempts and time allow; null if the object does not exist. */
  async function askAgain(address: string, signal: AbortSignal): Promise<JsonAnswer | null> {
    const endsMs = performance.now() + deadlineMs
    for (let attempt = 1; ; attempt += 1) {
      const timeoutMs = Math.max(1, Math.ceil(endsMs - performance.now()))
      const answer = await readJson(fetch, address, { timeoutMs, signal }).catch((error: unknown) => {
        if (error instanceof ProblemError) return error
        throw error
      })
      const problem = answer instanceof ProblemError ? answer : problemOf(answer, nowMs())
      if (problem === 'gone') return null
      if (problem === null && !(answer instanceof ProblemError)) return answer
      const waitMs = FIRST_WAIT_MS * attempt
      const isLast = attempt === MAX_ATTEMPTS || waitMs >= endsMs - performance.now()
      if (problem && (isLast || !isTransient(problem))) throw problem
      await wait(waitMs, undefined, { signal })
    }
  }
}

/** Effect of an error on the circuit breaker: the AppView's own failures count, and a rate limit is a pause. */
function judge(error: unknown): Verdict {
  if (!(error instanceof ProblemError)) return 'nothing'
  const { code, retryAfterSeconds } = error.problem
  if (code === 'unavailable' && retryAfterSeconds !== undefined) return { pauseMs: retryAfterSeconds * 1000 }
  return code === 'upstream_failed' || code === 'upstream_timeout' ? 'failure' : 'nothing'
}

/** Colons and slashes are allowed in a query (RFC 3986 section 3.4), so 25 URIs fit into a URL of maximum length. */
function toAddress(url: string, method: string, parameters: Parameters): string {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}=${encodePart(String(one))}`),
  )
  return `${url}/xrpc/${method}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** Encodes a value of a query. */
export function encodePart(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/')
}
