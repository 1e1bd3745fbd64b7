import { ProblemError } from '../../../http/problem.ts'
import type { SearchBackend } from '../search-backend.ts'

/** Calls the upstreams in order until one answers, so that a failure of one does not fail the search. */
export function firstThatAnswers(backends: readonly SearchBackend[]): SearchBackend {
  return {
    isReady: () => backends.some((backend) => backend.isReady()),
    pauseSeconds: () => Math.min(...backends.map((backend) => backend.pauseSeconds?.() ?? 0)),
    async search(query, signal) {
      let failure: ProblemError | undefined
      for (const backend of backends) {
        try {
          return await backend.search(query, signal)
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
