import { setTimeout as wait } from 'node:timers/promises'
import type * as z from 'zod'
import { ProblemError } from '../../../catalogue/problem.ts'
import {
  type BreakerOptions,
  createCircuitBreaker,
  Paused,
  type Verdict,
} from '../../../fetching/circuit-breaker.ts'
import type { SafeFetch } from '../../../fetching/safe-fetch.ts'
import { createSingleFlight } from '../upstream/single-flight.ts'
import type { JsonAnswer } from './json-answer.ts'
import { readJson } from './read-json.ts'
import { failed, isTransient, pausedFor, refusalOf } from './refusal.ts'

export type BlueskyClientOptions = {
  /** Where the AppView is, without a trailing slash, such as `https://public.api.bsky.app`. */
  readonly url: string
  readonly fetch: SafeFetch
  /** The time, epoch milliseconds. */
  readonly nowMs: () => number
  /** Time for all attempts of one read, ms; default 7,000, below the time that every endpoint has for several. */
  readonly deadlineMs?: number
  readonly breaker?: BreakerOptions
}

/** Parameters of a read; a list is sent as several of the same name. */
export type Parameters = Readonly<Record<string, string | number | readonly string[]>>

export type BlueskyClient = {
  /**
   * Asks the AppView; null when it says that what was asked for is not there.
   * @param method the NSID of a query, such as `app.bsky.feed.getPosts`.
   * @throws ProblemError that tells why it does not answer, without its words.
   */
  ask<Schema extends z.ZodType>(
    asked: { readonly method: string; readonly parameters: Parameters; readonly answer: Schema },
    signal: AbortSignal,
  ): Promise<z.output<Schema> | null>
  /** For how long nothing is asked, ms; 0 while something is. */
  pausedMs(): number
}

const DEADLINE_MS = 7_000
const MAX_ATTEMPTS = 3
/** Waited before the second attempt, twice that before the third, ms. */
const FIRST_WAIT_MS = 150

/** A client of the AppView's public queries: each read once for all who ask for it at the same time. */
export function createBlueskyClient(options: BlueskyClientOptions): BlueskyClient {
  const { url, fetch, nowMs, deadlineMs = DEADLINE_MS } = options
  const once = createSingleFlight<unknown>()
  const breaker = createCircuitBreaker(options.breaker)

  return {
    async ask({ method, parameters, answer }, signal) {
      const address = toAddress(url, method, parameters)
      const given = await once(address, signal, (shared) => askOnce(address, shared))
      if (given === null) return null
      const parsed = answer.safeParse(given)
      if (!parsed.success) throw failed('Bluesky answered with something else than was asked for.')
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
        throw pausedFor(
          error.leftMs,
          'Bluesky fails or takes no more requests, and is left alone for a while.',
        )
      throw error
    }
  }

  /** Asks until an answer is worth taking, as often and as long as is allowed; null for what is not there. */
  async function askAgain(address: string, signal: AbortSignal): Promise<JsonAnswer | null> {
    const endsMs = performance.now() + deadlineMs
    for (let attempt = 1; ; attempt += 1) {
      const timeoutMs = Math.max(1, Math.ceil(endsMs - performance.now()))
      const answer = await readJson(fetch, address, { timeoutMs, signal }).catch((error: unknown) => {
        if (error instanceof ProblemError) return error
        throw error
      })
      const refusal = answer instanceof ProblemError ? answer : refusalOf(answer, nowMs())
      if (refusal === 'gone') return null
      if (refusal === null && !(answer instanceof ProblemError)) return answer
      const waitMs = FIRST_WAIT_MS * attempt
      const isLast = attempt === MAX_ATTEMPTS || waitMs >= endsMs - performance.now()
      if (refusal && (isLast || !isTransient(refusal))) throw refusal
      await wait(waitMs, undefined, { signal })
    }
  }
}

/** What an error says of the AppView: its own failures count, and a rate limit is a pause. */
function judge(error: unknown): Verdict {
  if (!(error instanceof ProblemError)) return 'nothing'
  const { code, retryAfterSeconds } = error.problem
  if (code === 'unavailable' && retryAfterSeconds !== undefined) return { pauseMs: retryAfterSeconds * 1000 }
  return code === 'upstream_failed' || code === 'upstream_timeout' ? 'failure' : 'nothing'
}

/** Colons and slashes may stand in a query (RFC 3986 section 3.4), and so 25 addresses fit into the longest URL. */
function toAddress(url: string, method: string, parameters: Parameters): string {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}=${encodePart(String(one))}`),
  )
  return `${url}/xrpc/${method}${query.length > 0 ? `?${query.join('&')}` : ''}`
}

/** A value as it stands in a query. */
export function encodePart(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/')
}
