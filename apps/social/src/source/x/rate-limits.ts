import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import type { Headers } from '@tollbook/safe-fetch/fetched-answer'

/** The longest window of the X API is a day; larger values are treated as invalid. */
const MAX_MS = 86_400_000

/** The exhausted rate limit windows of the X API, by route and credential. */
export type RateLimits = {
  /** How long a window is exhausted, ms; 0 if it is not. */
  leftMs(window: string): number
  /** Updates the window from an answer. */
  take(window: string, status: number, headers: Headers): void
}

/** @param nowMs the current time, epoch milliseconds. */
export function createRateLimits(nowMs: () => number): RateLimits {
  const until = new Map<string, number>()
  return {
    leftMs: (window) => Math.max(0, (until.get(window) ?? 0) - nowMs()),
    take(window, status, headers) {
      const isUsedUp = status === 429 || (status < 400 && headers['x-rate-limit-remaining'] === '0')
      if (!isUsedUp) return
      for (const [name, end] of until) if (end <= nowMs()) until.delete(name)
      until.set(window, nowMs() + waitMs(status, headers, nowMs()))
    },
  }
}

/** How long an answer asks to wait, ms: until the window resets (`x-rate-limit-reset`, epoch seconds). */
function waitMs(status: number, headers: Headers, nowMs: number): number {
  const reset = headers['x-rate-limit-reset'] ?? ''
  if (/^\d{9,11}$/.test(reset)) return Math.min(MAX_MS, Math.max(0, Number(reset) * 1000 - nowMs))
  return status === 429 ? Math.min(MAX_MS, readRetryAfterMs(headers, nowMs)) : 0
}
