import { type RawBuilder, sql } from 'kysely'
import type { State } from '../../../state/state.ts'
import { earliestOf, type SearchQuery } from '../search-backend.ts'
import type { PageCandidate } from './page-record.ts'

/** Enough for ten results after re-ranking. */
const MAX_CANDIDATES = 40

/**
 * The query for the pages that contain most of the terms, best first: by BM25 on SQLite, by `ts_rank` on
 * PostgreSQL. A term in the title weighs four times as much on SQLite, ten times on PostgreSQL.
 */
export function selectCandidates(
  kind: State['kind'],
  terms: readonly string[],
  query: SearchQuery,
): RawBuilder<PageCandidate> {
  const fields = sql`page.url, page.title, page.content, page.published_at`
  const filters = filtersOf(query)
  // Terms are letters and digits, so quoting them is enough in either query language.
  if (kind === 'sqlite') {
    const match = terms.map((term) => `"${term}"`).join(' OR ')
    return sql<PageCandidate>`select ${fields} from page_words join page on page.id = page_words.rowid
      where page_words match ${match} and ${filters}
      order by bm25(page_words, 4.0, 1.0), page.id limit ${sql.lit(MAX_CANDIDATES)}`
  }
  const match = terms.map((term) => `'${term}'`).join(' | ')
  return sql<PageCandidate>`select ${fields} from page, to_tsquery('simple', ${match}) as wanted
    where page.words @@ wanted and ${filters}
    order by ts_rank(page.words, wanted, 1) desc, page.id limit ${sql.lit(MAX_CANDIDATES)}`
}

function filtersOf(query: SearchQuery): RawBuilder<unknown> {
  const earliest = earliestOf(query)
  const filters = [
    ...(query.includeDomains.length > 0 ? [sql`(${sql.join(within(query.includeDomains), sql` or `)})`] : []),
    ...within(query.excludeDomains).map((filter) => sql`not ${filter}`),
    ...(earliest === null ? [] : [sql`page.published_at >= ${earliest}`]),
    ...(query.topic === 'news' ? [sql`page.is_news = 1`] : []),
  ]
  return filters.length === 0 ? sql`1 = 1` : sql.join(filters, sql` and `)
}

function within(domains: readonly string[]): RawBuilder<unknown>[] {
  // Host names contain no wildcard characters of `like`.
  return domains.map((domain) => sql`(page.host = ${domain} or page.host like ${`%.${domain}`})`)
}
