import { groupAddress } from './client-address.ts'

/** Most clients remembered at once; the one that asked longest ago is forgotten first. */
const MOST_CLIENTS = 50_000
const MINUTE_MS = 60_000

/** Bounds what one client may ask without paying. */
export type RateLimiter = {
  /** Takes one request: 0 when it may go on, else the seconds after which it may be asked again. */
  take(clientAddress: string): number
  /** Gives a request back that turned out to be paid. */
  giveBack(clientAddress: string): void
}

type Bucket = { tokens: number; filledAtMs: number }

/**
 * A token bucket for each client: `perMinute` requests at once, refilled evenly over a minute.
 * Memory is bounded; a forgotten client starts with a full bucket.
 */
export function createRateLimiter(perMinute: number, clock: () => number = Date.now): RateLimiter {
  const buckets = new Map<string, Bucket>()
  const perMs = perMinute / MINUTE_MS

  function bucketOf(client: string, nowMs: number): Bucket {
    const known = buckets.get(client)
    if (known) {
      known.tokens = Math.min(perMinute, known.tokens + Math.max(0, nowMs - known.filledAtMs) * perMs)
      known.filledAtMs = nowMs
      // Re-inserted, so that the map's order is the order of last use.
      buckets.delete(client)
      buckets.set(client, known)
      return known
    }
    if (buckets.size >= MOST_CLIENTS) {
      const oldest = buckets.keys().next().value
      if (oldest !== undefined) buckets.delete(oldest)
    }
    const fresh = { tokens: perMinute, filledAtMs: nowMs }
    buckets.set(client, fresh)
    return fresh
  }

  return {
    take(clientAddress) {
      const bucket = bucketOf(groupAddress(clientAddress), clock())
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1
        return 0
      }
      return Math.ceil((1 - bucket.tokens) / perMs / 1000)
    },
    giveBack(clientAddress) {
      const bucket = bucketOf(groupAddress(clientAddress), clock())
      bucket.tokens = Math.min(perMinute, bucket.tokens + 1)
    },
  }
}
