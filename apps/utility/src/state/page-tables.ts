import type { Generated } from 'kysely'

/**
 * Tables of the searchable pages. The word index, the table
 * `page_words` on SQLite and the column `words` on PostgreSQL, is accessed with SQL of that database.
 */
export type PageTables = {
  readonly page: {
    readonly id: Generated<number>
    readonly url: string
    /** Of the URL, lower case. */
    readonly host: string
    /** Empty if the page has none. */
    readonly title: string
    /** The text of the page, one line per paragraph. */
    readonly content: string
    /** As declared by the page, epoch milliseconds. */
    readonly published_at: number | null
    /** Whether the page declares itself news. */
    readonly is_news: number
    /** Origin: an import by the operator, or a call of `/api/scrape`. */
    readonly source: 'imported' | 'scraped'
    /** Epoch milliseconds. */
    readonly fetched_at: number
  }
}
