import { indexTermsOf, queryTermsOf } from '@tollbook/flow/text/index-terms'
import { weighTerms } from '@tollbook/flow/text/term-weights'
import type { SearchHit } from '../search-backend.ts'
import { findPassage } from '../words/find-passage.ts'

type Article = { readonly title: string; readonly fullurl: string; readonly extract: string }

/** The best passage of each article; a job for a worker. The API gives an order, but no scores. */
export function toWikiHits(found: {
  readonly articles: readonly Article[]
  readonly query: string
}): SearchHit[] {
  const { articles, query } = found
  const texts = articles.map(({ title, extract }) => new Set(indexTermsOf(`${title} ${extract}`)))
  const weights = weighTerms(queryTermsOf(query), texts)
  return articles.map(({ title, fullurl, extract }, at) => ({
    title,
    url: fullurl,
    content: findPassage(extract, weights).text,
    publishedDate: null,
    favicon: null,
    score: Math.round(1e4 / (at + 1)) / 1e4,
  }))
}
