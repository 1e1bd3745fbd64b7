import { MAX_ROBOTS_BYTES, type RobotsRules } from '../../../engines/robots/parse-robots.ts'
import { PermanentError, RetryableError } from '../../../fetching/failure.ts'
import { toRobotsRules } from '../../../fetching/robots-rules.ts'
import type { SafeFetch } from '../../../fetching/safe-fetch.ts'

const TIMEOUT_MS = 10_000

/**
 * The rules of a host, or why they cannot be read: nothing may be fetched then (RFC 9309 section 2.3.1.4).
 */
export type HostRules = { readonly rules: RobotsRules } | { readonly failure: string }

export type RobotsReader = (url: string, signal: AbortSignal) => Promise<HostRules>

/** Reads the robots.txt of each origin once. */
export function createRobotsReader(fetch: SafeFetch): RobotsReader {
  const known = new Map<string, Promise<HostRules>>()
  return (url, signal) => {
    const { origin } = new URL(url)
    const rules = known.get(origin) ?? readRobots(origin, fetch, signal)
    known.set(origin, rules)
    return rules
  }
}

async function readRobots(origin: string, fetch: SafeFetch, signal: AbortSignal): Promise<HostRules> {
  const request = { maxBytes: MAX_ROBOTS_BYTES, timeoutMs: TIMEOUT_MS, accept: 'text/plain', signal }
  try {
    return { rules: toRobotsRules(await fetch(`${origin}/robots.txt`, request)) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PermanentError || error instanceof RetryableError)
      return { failure: `robots.txt cannot be read: ${error.message}` }
    throw error
  }
}
