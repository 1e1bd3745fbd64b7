import { readFile } from 'node:fs/promises'
import { PermanentError } from '@tollbook/flow/failure'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { MAX_SITEMAP_BYTES, readSitemap, type Sitemap } from './read-sitemap.ts'

const TIMEOUT_MS = 60_000
/** An index lists at most 50,000 sitemaps; an import of all of them is unlikely. */
const MAX_SITEMAPS = 1_000
const ACCEPT = 'application/xml, text/xml, text/plain, text/html;q=0.5'

type Listing = {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
  /** Called after each sitemap: sitemaps read, sitemaps found. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * The URLs behind a place, each once: of a sitemap and all that it lists, of a feed, of a file with one URL
 * per line; for a page, its own URL.
 * @param place URL or path of a file.
 * @throws PermanentError if it cannot be read or lists no page; errors of `fetch`.
 */
export async function listUrls(place: string, { fetch, signal, onProgress }: Listing): Promise<string[]> {
  const pages = new Set<string>()
  const waiting = [place]
  const known = new Set(waiting)
  for (let done = 0; done < waiting.length; done++) {
    const from = waiting[done] ?? ''
    const { pages: found, sitemaps } = await readPlace(from, fetch, signal)
    const base = URL.parse(from)?.href
    for (const text of found) {
      const url = toPageUrl(text, base)
      if (url !== null) pages.add(url)
    }
    for (const text of sitemaps) {
      const url = URL.parse(text, base)?.href
      if (url === undefined || known.has(url) || known.size >= MAX_SITEMAPS) continue
      known.add(url)
      waiting.push(url)
    }
    onProgress?.(done + 1, waiting.length)
  }
  if (pages.size === 0) throw new PermanentError(`${place} lists no page`)
  return [...pages]
}

async function readPlace(place: string, fetch: SafeFetch, signal: AbortSignal): Promise<Sitemap> {
  if (!/^https?:/i.test(place)) return readSitemap(await readFile(place, { signal }))
  const request = { maxBytes: MAX_SITEMAP_BYTES, timeoutMs: TIMEOUT_MS, accept: ACCEPT, signal }
  const { status, headers, body } = await fetch(place, request)
  if (status !== 200) throw new PermanentError(`${place} responded with ${status}`)
  const isPage = /^(?:text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '')
  return isPage ? { pages: [place], sitemaps: [] } : readSitemap(body)
}

/** An http(s) URL without its fragment, which is never sent to a server; null for anything else. */
function toPageUrl(text: string, base: string | undefined): string | null {
  const url = URL.parse(text, base)
  if (!url || !/^https?:$/.test(url.protocol)) return null
  url.hash = ''
  return url.href
}
