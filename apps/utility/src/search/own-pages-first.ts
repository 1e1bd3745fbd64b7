import { ProblemError } from '@tollbook/http/problem'
import type { SearchBackend, SearchFound } from './search-backend.ts'

/** From this score on, a stored page covers most words of the query; less is left to the upstream, or is no hit. */
const MIN_SCORE = 0.6

const NO_NEWS = {
  code: 'not_configured',
  detail:
    'No source of news is set up: the operator sets TOLLBOOK_SEARXNG_URL or TOLLBOOK_SEARCH_URL, or imports news pages (tollbook import pages).',
} as const

/**
 * Searches the stored pages, and the upstream if none of them covers the query well: pages that do not are not sold
 * instead of those of an upstream that is unreachable.
 * @param upstream a wiki, which has no news; null if the operator sells the stored pages alone
 */
export function ownPagesFirst(own: SearchBackend, upstream: SearchBackend | null): SearchBackend {
  return {
    isReady: () => own.isReady() || (upstream?.isReady() ?? false),
    pauseSeconds: () => (own.isReady() ? 0 : (upstream?.pauseSeconds?.() ?? 0)),
    async search(query, signal) {
      const nothing: SearchFound = { provider: 'index', hits: [] }
      const stored = own.isReady() ? await own.search(query, signal) : nothing
      if ((stored.hits[0]?.score ?? 0) >= MIN_SCORE) return stored
      if (query.topic === 'news') {
        if (stored.hits.length === 0) throw new ProblemError(NO_NEWS)
        return stored
      }
      return upstream ? await upstream.search(query, signal) : stored
    },
  }
}
