import type { Generated } from 'kysely'

/**
 * Tables of the pages that can be searched; created by ../migrations/0014-pages.ts. The index of words beside it,
 * the table `page_words` on SQLite and the column `words` on PostgreSQL, is written and read in SQL of its kind.
 */
export type PageTables = {
  readonly page: PageTable
}

export type PageTable = {
  readonly id: Generated<number>
  readonly url: string
  /** Of the URL, lower case. */
  readonly host: string
  /** Empty when the page has none. */
  readonly title: string
  /** The text of the page, a line for each paragraph. */
  readonly content: string
  /** As the page says, epoch milliseconds. */
  readonly published_at: number | null
  /** Whether the page calls itself news. */
  readonly is_news: number
  /** Who brought it: the operator, or a call of `/api/scrape`. */
  readonly source: 'imported' | 'scraped'
  /** Epoch milliseconds. */
  readonly fetched_at: number
}
