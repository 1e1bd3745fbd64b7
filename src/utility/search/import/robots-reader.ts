import { PermanentError, RetryableError } from '../../../fetching/failure.ts'
import type { SafeFetch } from '../../../fetching/safe-fetch.ts'
import { ALLOW_ALL, ALLOW_NOTHING, MOST_ROBOTS_BYTES, parseRobots, type RobotsRules } from './robots.ts'

/** The product token of our `User-Agent`. */
const AGENT = 'Tollbook'
const TIMEOUT_MS = 10_000

export type RobotsReader = (url: string, signal: AbortSignal) => Promise<RobotsRules>

/** Reads the robots.txt of each origin once. */
export function createRobotsReader(fetch: SafeFetch): RobotsReader {
  const known = new Map<string, Promise<RobotsRules>>()
  return (url, signal) => {
    const { origin } = new URL(url)
    const rules = known.get(origin) ?? readRobots(origin, fetch, signal)
    known.set(origin, rules)
    return rules
  }
}

/** RFC 9309 section 2.3.1: without the file everything is allowed; while it cannot be read, nothing is. */
async function readRobots(origin: string, fetch: SafeFetch, signal: AbortSignal): Promise<RobotsRules> {
  const request = { maxBytes: MOST_ROBOTS_BYTES, timeoutMs: TIMEOUT_MS, accept: 'text/plain', signal }
  try {
    const { status, body } = await fetch(`${origin}/robots.txt`, request)
    if (status >= 200 && status < 300) return parseRobots(new TextDecoder().decode(body), AGENT)
    const isAbsent = status >= 400 && status < 500 && status !== 429
    return isAbsent ? ALLOW_ALL : { ...ALLOW_NOTHING, fault: `robots.txt answered ${status}` }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PermanentError || error instanceof RetryableError)
      return { ...ALLOW_NOTHING, fault: `robots.txt cannot be read: ${error.message}` }
    throw error
  }
}
