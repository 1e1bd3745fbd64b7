import type { BreakerOptions } from '../../../flow/circuit-breaker.ts'
import { createUpstreamBreaker } from '../../../upstream/upstream-breaker.ts'
import type { SearchBackend } from '../search-backend.ts'

/** Circuit breaker for a search upstream that fails repeatedly. */
export function withCircuitBreaker(backend: SearchBackend, options: BreakerOptions = {}): SearchBackend {
  const breaker = createUpstreamBreaker(SEARCH_UPSTREAM, options)
  return {
    isReady: () => backend.isReady(),
    pauseSeconds: breaker.pauseSeconds,
    search: (query, signal) => breaker.run(() => backend.search(query, signal), signal),
  }
}

/** Name of the upstream in messages to callers. */
export const SEARCH_UPSTREAM = 'search upstream'
