import { ProblemError } from '../../../catalogue/problem.ts'
import type { SearchBackend } from '../search-backend.ts'

/** Asks one upstream after the other until one answers; one that failed is not worth a caller's failure. */
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
      throw failure ?? new Error('there is no upstream')
    },
  }
}
