import type { BreakerOptions } from '@tollbook/flow/circuit-breaker'
import { ProblemError } from '@tollbook/http/problem'
import { createUpstreamBreaker } from '@tollbook/upstream/upstream-breaker'
import type { SearchBackend } from '../search-backend.ts'
import { SEARCH_UPSTREAM } from './ask-search.ts'

/**
 * Calls the upstreams in order until one answers, so that a failure of one does not fail the search. Each has
 * a circuit breaker.
 */
export function firstThatAnswers(
  backends: readonly SearchBackend[],
  options: BreakerOptions = {},
): SearchBackend {
  const upstreams = backends.map((backend) => ({
    backend,
    breaker: createUpstreamBreaker(SEARCH_UPSTREAM, options),
  }))
  return {
    isReady: () => upstreams.some(({ backend }) => backend.isReady()),
    pauseSeconds: () => Math.min(...upstreams.map(({ breaker }) => breaker.pauseSeconds())),
    async search(query, signal) {
      let failure: ProblemError | undefined
      for (const { backend, breaker } of upstreams) {
        try {
          return await breaker.run(() => backend.search(query, signal), signal)
        } catch (error) {
          signal.throwIfAborted()
          if (!(error instanceof ProblemError)) throw error
          failure ??= error
        }
      }
      throw failure ?? new Error('no search upstream is configured')
    },
  }
}
