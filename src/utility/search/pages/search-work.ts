import { openReadConnection, prepareStatement, runStatement } from '../../../state/sqlite/connection.ts'
import type { SearchHit } from '../search-backend.ts'
import type { PageCandidate } from './page-record.ts'
import { rankPages } from './rank-pages.ts'

type Wanted = { readonly terms: readonly string[]; readonly maxResults: number }

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
