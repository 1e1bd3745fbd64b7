import { setTimeout as wait } from 'node:timers/promises'
import { RetryableError } from '@tollbook/flow/failure'
import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import type { FetchedAnswer, FetchRequest } from '@tollbook/safe-fetch/fetched-answer'
import { MAX_ROBOTS_BYTES } from '@tollbook/safe-fetch/parse-robots'
import { toRobotsRules } from '@tollbook/safe-fetch/robots-rules'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'

/** A longer `Crawl-delay` is reduced to this: a visit sends up to 22 requests, and other hosts wait. */
const MAX_CRAWL_DELAY_MS = 10_000
const TIMEOUT_MS = 10_000

/** The host asked for a pause, by 429, or by 503 with `Retry-After`. */
export class RestingHost extends RetryableError {
  override readonly name = 'RestingHost'
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    super(`the host requests a pause of ${Math.ceil(retryAfterMs / 1000)} s`)
    this.retryAfterMs = retryAfterMs
  }
}

/** Sends requests to one host one after another, with pauses, and none that its robots.txt disallows. */
export type HostReader = {
  /** @returns null when robots.txt disallows it. @throws RestingHost; what the fetch throws. */
  request(url: string, request: Omit<FetchRequest, 'timeoutMs' | 'signal'>): Promise<FetchedAnswer | null>
}

export type HostReaderOptions = {
  /** Scheme, host and port, as in `URL.origin`. */
  readonly origin: string
  readonly fetch: SafeFetch
  /** Between two requests to the host, ms, unless its robots.txt sets a longer `Crawl-delay`. */
  readonly pauseMs: number
  readonly signal: AbortSignal
}

/** Reads robots.txt first. @throws Unreachable: everything is disallowed then (RFC 9309 section 2.3.1.4). */
export async function openHost(options: HostReaderOptions): Promise<HostReader> {
  const { fetch, pauseMs, signal } = options
  const send = async (url: string, request: Omit<FetchRequest, 'timeoutMs' | 'signal'>) => {
    const answer = await fetch(url, { ...request, timeoutMs: TIMEOUT_MS, signal })
    const isResting = answer.status === 429 || (answer.status === 503 && 'retry-after' in answer.headers)
    if (isResting) throw new RestingHost(readRetryAfterMs(answer.headers))
    return answer
  }
  const robots = toRobotsRules(await send(`${options.origin}/robots.txt`, { maxBytes: MAX_ROBOTS_BYTES }))
  const delayMs = Math.max(pauseMs, Math.min(robots.crawlDelaySeconds * 1000, MAX_CRAWL_DELAY_MS))
  return {
    async request(url, request) {
      const { pathname, search } = new URL(url)
      if (!robots.allows(pathname + search)) return null
      await wait(delayMs, undefined, { signal })
      return send(url, request)
    },
  }
}
