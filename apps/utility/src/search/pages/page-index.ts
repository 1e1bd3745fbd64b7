import { queryTermsOf } from '@tollbook/flow/text/index-terms'
import { startTicker } from '@tollbook/flow/ticker'
import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import { type RawBuilder, sql } from 'kysely'
import type { State } from '../../state/state.ts'
import { earliestOf, type SearchBackend, type SearchQuery } from '../search-backend.ts'
import type { PageCandidate } from './page-record.ts'
import { hasPages } from './page-store.ts'

/** Enough for ten results after re-ranking. */
const MAX_CANDIDATES = 40

const module = new URL('./search-work.ts', import.meta.url)
type Work = typeof import('./search-work.ts')
const searchFile = defineJob<Work['searchFile']>({ module, name: 'searchFile', deadlineMs: 8_000 })
const rank = defineJob<Work['rank']>({ module, name: 'rank', deadlineMs: 8_000 })

/** Another process may import pages at any time; interval of the check while there are none. */
const LOOK_AGAIN_MS = 2_000

/** Searches the pages stored by this operator; ready once there is one, and from then on. */
export async function openPageIndex(
  { state, workers }: { readonly state: State; readonly workers: WorkerPool },
  lookAgainMs = LOOK_AGAIN_MS,
): Promise<SearchBackend> {
  let isFilled = await hasPages(state)
  if (!isFilled) {
    const looking = startTicker({
      everyMs: lookAgainMs,
      async work() {
        isFilled = await hasPages(state)
        if (isFilled) void looking.stop()
      },
      // A store that does not answer counts as empty until the next check.
      onError: () => {},
    })
  }
  return {
    isReady: () => isFilled,
    async search(query, signal) {
      const terms = queryTermsOf(query.text)
      if (terms.length === 0) return { provider: 'index', hits: [] }
      const wanted = { terms, maxResults: query.maxResults }
      const select = selectCandidates(state.kind, terms, query)
      if (state.file !== null) {
        const { sql, parameters } = select.compile(state.db)
        const job = { file: state.file, query: { sql, parameters }, ...wanted }
        return { provider: 'index', hits: await workers.run(searchFile, job, signal) }
      }
      const { rows } = await select.execute(state.db)
      const candidates: readonly PageCandidate[] = rows
      return { provider: 'index', hits: await workers.run(rank, { candidates, ...wanted }, signal) }
    },
  }
}

/**
 * The query for the pages that contain most of the terms, best first: by BM25 on SQLite, by `ts_rank` on
 * PostgreSQL. A term in the title weighs four times as much on SQLite, ten times on PostgreSQL.
 */
function selectCandidates(
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
