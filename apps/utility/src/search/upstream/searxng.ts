import type { UpstreamPlace } from '@tollbook/upstream/ask-upstream'
import * as z from 'zod'
import {
  earliestOf,
  isWithin,
  type SearchBackend,
  type SearchHit,
  type SearchQuery,
} from '../search-backend.ts'
import { askSearch, date, MAX_LENGTH, text } from './ask-search.ts'

/** https://docs.searxng.org/dev/search_api.html; further fields of a result depend on the engine. */
const answerSchema = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: text(MAX_LENGTH.title),
      content: text(MAX_LENGTH.content),
      score: z.number().nullish(),
      publishedDate: date,
    }),
  ),
})

type Result = z.output<typeof answerSchema>['results'][number]

/** Maximum result pages to request, of some twenty results each, until enough of them match the domains and dates. */
const MAX_PAGES = 2

/** Searches through a SearXNG instance, whose settings must allow the format `json`. */
export function createSearxng(place: UpstreamPlace): SearchBackend {
  return {
    isReady: () => true,
    async search(query, signal) {
      const fitting = new Map<string, Result>()
      for (let page = 1; page <= MAX_PAGES && fitting.size < query.maxResults; page++) {
        const { results } = await askSearch(
          place,
          { ...toRequest(query, page), schema: answerSchema },
          signal,
        )
        if (results.length === 0) break
        for (const result of results)
          if (fits(result, query) && !fitting.has(result.url)) fitting.set(result.url, result)
      }
      return { provider: 'searxng', hits: toHits([...fitting.values()].slice(0, query.maxResults)) }
    },
  }
}

function toRequest({ text: words, topic, days, includeDomains }: SearchQuery, page: number) {
  const sites = includeDomains.map((domain) => `site:${domain}`).join(' OR ')
  const form = new URLSearchParams({
    q: sites === '' ? words : `${words} ${sites}`,
    format: 'json',
    categories: topic,
    pageno: String(page),
  })
  if (days !== null && days <= MAX_RANGE_DAYS) form.set('time_range', toRange(days))
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() }
}

const MAX_RANGE_DAYS = 366

/** The shortest range that includes all the days; not every engine supports a week. */
function toRange(days: number): 'day' | 'month' | 'year' {
  if (days <= 1) return 'day'
  return days <= 30 ? 'month' : 'year'
}

function fits({ url, publishedDate }: Result, query: SearchQuery): boolean {
  if (!/^https?:/.test(url) || isWithin(url, query.excludeDomains)) return false
  if (query.includeDomains.length > 0 && !isWithin(url, query.includeDomains)) return false
  const earliest = earliestOf(query)
  // Engines that filter by time often return no date.
  return earliest === null || publishedDate === null || Date.parse(publishedDate) >= earliest
}

/** Its scores sum up engines and positions, without an upper bound; they are divided by the best one. */
function toHits(results: readonly Result[]): SearchHit[] {
  const best = Math.max(0, ...results.map(({ score }) => score ?? 0))
  return results.map(({ url, title, content, score, publishedDate }, at) => ({
    url,
    title,
    content,
    publishedDate,
    favicon: null,
    score: best > 0 ? Math.max(0, score ?? 0) / best : 1 / (at + 1),
  }))
}
