import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { Tweet } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { Asking, FoundPage, RequestedPage, TweetQuery } from '../provider.ts'
import { toTweetPage } from './list-tweets.ts'
import { findUser } from './read-bodies.ts'
import { searchPostgres } from './words/postgres-search.ts'
import { selectTweets } from './words/sqlite-search.ts'
import { toFilter } from './words/tweet-filter.ts'

/** On SQLite a search would block the event loop, so it runs in a worker that can be killed. */
export const readRows = defineJob<typeof import('./search-work.ts').readRows>({
  module: new URL('./search-work.ts', import.meta.url),
  name: 'readRows',
  deadlineMs: 8_000,
})

export type SearchPlace = { readonly state: State; readonly workers: WorkerPool }

/** The newest tweets that match; the position is the `seq` of the last one, which no insert shifts. */
export async function searchTweets(
  { state, workers }: SearchPlace,
  query: TweetQuery,
  page: RequestedPage,
  { signal }: Asking,
): Promise<FoundPage<Tweet>> {
  const [from, to] = await Promise.all([idOf(state, query.from), idOf(state, query.to)])
  const isOfNobody = (query.from !== null && from === null) || (query.to !== null && to === null)
  const filter = isOfNobody ? null : toFilter(query, { fromId: from, toId: to })
  if (!filter) return { data: [], includes: {}, next: null }
  const requested = { before: page.position === null ? null : Number(page.position), limit: page.limit + 1 }
  if (state.file === null)
    return toTweetPage(state, await searchPostgres(state, filter, { ...requested, signal }), page.limit)
  const { sql, parameters } = selectTweets(filter, requested).compile(state.db)
  const rows = await workers.run(readRows, { file: state.file, sql, parameters }, signal)
  // The query selects seq and body, in this order.
  const found = rows.map(([seq, body]) => ({ seq: Number(seq), body: String(body) }))
  return toTweetPage(state, found, page.limit)
}

async function idOf(state: State, username: string | null): Promise<string | null> {
  return username === null ? null : ((await findUser(state, username))?.id ?? null)
}
