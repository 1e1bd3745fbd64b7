import type { UpstreamPlace } from '@tollbook/upstream/ask-upstream'
import * as z from 'zod'
import { isWithin, type SearchBackend, type SearchQuery } from '../search-backend.ts'
import { askSearch, date, MAX_LENGTH, text } from './ask-search.ts'

/** https://docs.tavily.com/documentation/api-reference/endpoint/search; others answer in the same format. */
const answerSchema = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: text(MAX_LENGTH.title),
      content: text(MAX_LENGTH.content),
      score: z.number().catch(0),
      published_date: date,
      favicon: z.string().nullish(),
    }),
  ),
})

/**
 * Searches through Tavily, or a compatible service.
 * @param key absent if the service requires none.
 */
export function createTavily(place: UpstreamPlace, key: string | undefined): SearchBackend {
  return {
    isReady: () => true,
    async search(query, signal) {
      const request = {
        headers: {
          'content-type': 'application/json',
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify(toBody(query)),
        schema: answerSchema,
      }
      const { results } = await askSearch(place, request, signal)
      const hits = results
        .filter(({ url }) => /^https?:/.test(url) && !isWithin(url, query.excludeDomains))
        .slice(0, query.maxResults)
        .map(({ url, title, content, score, published_date, favicon }) => ({
          url,
          title,
          content,
          publishedDate: published_date,
          favicon: favicon ?? null,
          score: Math.min(1, Math.max(0, score)),
        }))
      return { provider: 'tavily', hits }
    },
  }
}

function toBody({ text: query, maxResults, topic, days, includeDomains, excludeDomains, now }: SearchQuery) {
  const from = days === null ? null : new Date(now.getTime() - days * 86_400_000)
  return {
    query,
    max_results: maxResults,
    topic,
    search_depth: 'basic',
    include_answer: false,
    include_favicon: true,
    ...(from && { start_date: from.toISOString().slice(0, 10) }),
    ...(includeDomains.length > 0 && { include_domains: includeDomains }),
    ...(excludeDomains.length > 0 && { exclude_domains: excludeDomains }),
  }
}
