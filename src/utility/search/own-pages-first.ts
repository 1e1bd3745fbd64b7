import { ProblemError } from '../../http/problem.ts'
import type { SearchBackend } from './search-backend.ts'

/** From this score on, a stored page covers most words of the query; less is left to the upstream. */
const MIN_SCORE = 0.6

/** Searches the stored pages, and the upstream if none of them covers the query well. */
export function ownPagesFirst(own: SearchBackend, upstream: SearchBackend): SearchBackend {
  return {
    isReady: () => own.isReady() || upstream.isReady(),
    pauseSeconds: () => (own.isReady() ? 0 : (upstream.pauseSeconds?.() ?? 0)),
    async search(query, signal) {
      const stored = own.isReady() ? await own.search(query, signal) : null
      if ((stored?.hits[0]?.score ?? 0) >= MIN_SCORE && stored) return stored
      try {
        const found = await upstream.search(query, signal)
        return found.hits.length === 0 && stored ? stored : found
      } catch (error) {
        if (stored && stored.hits.length > 0 && error instanceof ProblemError) return stored
        throw error
      }
    },
  }
}
