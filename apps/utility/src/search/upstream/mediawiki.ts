import { askUpstreamJson, type UpstreamPlace } from '@tollbook/upstream/ask-upstream'
import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import * as z from 'zod'
import { isWithin, type SearchBackend, type SearchQuery } from '../search-backend.ts'
import { MAX_BYTES, MAX_LENGTH, SEARCH_UPSTREAM, TIMEOUT_MS, text } from './ask-search.ts'

const pageSchema = z.object({
  pageid: z.int(),
  index: z.int().default(0),
  title: text(MAX_LENGTH.title),
  fullurl: z.url({ protocol: /^https?$/ }),
  extract: z.string().max(MAX_BYTES).default(''),
})
/** A page that was deleted after it was indexed; it has no id. */
const missingSchema = z.object({ missing: z.union([z.literal(true), z.literal('')]) }).transform(() => null)
const anyPage = z.union([missingSchema, pageSchema])

/**
 * An answer of `action=query` in format version 2; https://www.mediawiki.org/wiki/API:Search and
 * https://www.mediawiki.org/wiki/Extension:TextExtracts. An error has no `query`, nor has a search without results.
 * Wikis before MediaWiki 1.25 answer in version 1, with the pages by their ids.
 */
const answerSchema = z
  .object({
    query: z
      .object({ pages: z.union([z.array(anyPage), z.record(z.string(), anyPage).transform(Object.values)]) })
      .default({ pages: [] }),
    error: z.never().optional(),
  })
  .transform(({ query }) => {
    const pages: readonly (z.output<typeof pageSchema> | null)[] = query.pages
    return pages.filter((page) => page !== null).sort((one, other) => one.index - other.index)
  })

const job = defineJob<typeof import('./wiki-hits.ts').toWikiHits>({
  module: new URL('./wiki-hits.ts', import.meta.url),
  name: 'toWikiHits',
  deadlineMs: 5_000,
})

/** Marks of CirrusSearch (https://www.mediawiki.org/wiki/Help:CirrusSearch): a caller sends words, no operators. */
const OPERATORS = /[^\p{L}\p{M}\p{N}\s'’.,%+-]|(?<!\S)[-+]+/gu

type WikiPlace = UpstreamPlace & { readonly workers: WorkerPool }

/**
 * Searches a wiki through its public API, which requires no key. `content` is the best passage: of the whole text of
 * the first result, and of the introductions of the others.
 */
export function createMediaWiki({ url, fetch, workers }: WikiPlace): SearchBackend {
  const ask = (parameters: Readonly<Record<string, string>>, signal: AbortSignal) =>
    askUpstreamJson(
      fetch,
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          action: 'query',
          format: 'json',
          formatversion: '2',
          prop: 'extracts|info',
          inprop: 'url',
          explaintext: '1',
          exsectionformat: 'plain',
          ...parameters,
        }).toString(),
        schema: answerSchema,
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        name: SEARCH_UPSTREAM,
        expected: 'search results',
      },
      signal,
    )
  return {
    isReady: () => true,
    async search(query, signal) {
      const words = query.text.replace(OPERATORS, ' ').replace(/\s+/g, ' ').trim()
      // Articles have no date of publication, and are no news.
      if (words === '' || query.topic === 'news' || query.days !== null)
        return { provider: 'mediawiki', hits: [] }
      const limits = { gsrlimit: `${query.maxResults}`, exlimit: 'max', exintro: '1' }
      const found = await ask({ generator: 'search', gsrsearch: words, ...limits }, signal)
      const pages = found.filter(({ fullurl }) => isWanted(fullurl, query))
      const [first] = pages
      if (!first) return { provider: 'mediawiki', hits: [] }
      const [whole = first] = await ask({ pageids: `${first.pageid}` }, signal)
      const articles = [whole, ...pages.slice(1)]
      return { provider: 'mediawiki', hits: await workers.run(job, { articles, query: query.text }, signal) }
    },
  }
}

function isWanted(url: string, { includeDomains, excludeDomains }: SearchQuery): boolean {
  return !isWithin(url, excludeDomains) && (includeDomains.length === 0 || isWithin(url, includeDomains))
}
