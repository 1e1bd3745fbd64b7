import type { Page } from './read-page.ts'

export type DatedPage = { readonly page: Page; readonly fetchedAt: Date }

/** Fetched pages for `max_age`, shared by all payers. */
export type PageCache = {
  get(key: string, maxAgeSeconds: number, now: Date): DatedPage | null
  /** Stores a page unless its headers forbid shared caching (RFC 9111 section 3). */
  offer(key: string, dated: DatedPage): void
}

const MAX_BYTES = 50_000_000
const MAX_PAGES = 1_000
const FORBIDDEN = /\b(?:no-store|no-cache|private)\b/i

export function createPageCache({ maxBytes = MAX_BYTES, maxPages = MAX_PAGES } = {}): PageCache {
  // In order of storing: the oldest page is first.
  const pages = new Map<string, DatedPage>()
  let bytes = 0
  const remove = (key: string) => {
    bytes -= pages.get(key)?.page.body.byteLength ?? 0
    pages.delete(key)
  }
  return {
    get(key, maxAgeSeconds, now) {
      const dated = pages.get(key)
      return dated && now.getTime() - dated.fetchedAt.getTime() <= maxAgeSeconds * 1_000 ? dated : null
    },
    offer(key, dated) {
      const { status, headers, body } = dated.page
      const isShared = !FORBIDDEN.test(headers['cache-control'] ?? '') && headers.vary?.trim() !== '*'
      if (status !== 200 || !isShared || headers['set-cookie'] !== undefined) return
      remove(key)
      pages.set(key, dated)
      bytes += body.byteLength
      for (const oldest of pages.keys()) {
        if (bytes <= maxBytes && pages.size <= maxPages) break
        remove(oldest)
      }
    },
  }
}
