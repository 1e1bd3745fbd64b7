import { indexTermsOf } from '@tollbook/flow/text/index-terms'
import { coverageOf, weighTerms } from '@tollbook/flow/text/term-weights'
import { openReadConnection, prepareStatement, runStatement } from '@tollbook/store/sqlite/connection'
import type { SearchHit } from '../search-backend.ts'
import { findPassage } from '../words/find-passage.ts'
import type { PageCandidate } from './page-record.ts'

type Wanted = { readonly terms: readonly string[]; readonly maxResults: number }

type Ranked = { readonly whole: number; readonly order: number }

/** Score of a page: how much of the query occurs in the whole page, in one passage, and in its title. */
const SHARES = { page: 0.45, passage: 0.35, title: 0.2 }

/** The job for an index in a SQLite file, whose reads would block the event loop. */
export function searchFile({
  file,
  query,
  ...wanted
}: Wanted & {
  readonly file: string
  readonly query: { readonly sql: string; readonly parameters: readonly unknown[] }
}): SearchHit[] {
  const database = openReadConnection(file)
  try {
    const found = runStatement(prepareStatement(database, query.sql), query.parameters)
    const rows = typeof found === 'number' ? [] : found.rows
    // The query selects these four columns in this order.
    const candidates = rows.map(([url, title, content, published_at]) => ({
      url,
      title,
      content,
      published_at,
    }))
    return rank({ candidates: candidates as PageCandidate[], ...wanted })
  } finally {
    database.close()
  }
}

/** The job for candidates that are already read. */
export function rank({
  candidates,
  terms,
  maxResults,
}: Wanted & { readonly candidates: readonly PageCandidate[] }): SearchHit[] {
  return rankPages(candidates, terms, maxResults)
}

/** The most relevant pages, each with its best passage. */
function rankPages(
  candidates: readonly PageCandidate[],
  terms: readonly string[],
  maxResults: number,
): SearchHit[] {
  const texts = candidates.map(({ title, content }) => new Set(indexTermsOf(`${title}\n${content}`)))
  const weights = weighTerms(terms, texts)
  const read = candidates.map((page, order) => ({
    page,
    order,
    whole:
      SHARES.page * coverageOf(weights, texts[order] ?? new Set()) +
      SHARES.title * coverageOf(weights, page.title),
  }))
  // Passages are only searched for in pages where they matter: splitting into sentences takes most of the time.
  const best = read.sort(byWorth).slice(0, 2 * maxResults)
  return best
    .map(({ page, order, whole }) => {
      const passage = findPassage(page.content, weights)
      return { page, order, passage, whole: whole + SHARES.passage * passage.coverage }
    })
    .sort(byWorth)
    .slice(0, maxResults)
    .map(({ page, passage, whole }) => ({
      title: page.title,
      url: page.url,
      content: passage.text,
      score: Math.round(Math.min(1, whole) * 1e4) / 1e4,
      publishedDate: page.published_at === null ? null : new Date(page.published_at).toISOString(),
      favicon: null,
    }))
}

/** Ties keep the order of the index. */
function byWorth(one: Ranked, other: Ranked): number {
  return other.whole - one.whole || one.order - other.order
}
