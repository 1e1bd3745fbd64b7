import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSources } from '../src/social/import/open-sources.ts'
import { runImport } from '../src/social/import/run-import.ts'
import { createStoreProvider } from '../src/social/source/store/store-provider.ts'
import type { TweetQuery } from '../src/social/source/tweet-query.ts'
import { migrateState } from '../src/state/migrate.ts'
import { openState } from '../src/state/open.ts'
import type { State } from '../src/state/state.ts'
import { createWorkerPool } from '../src/workers/pool.ts'
import type { Benchmark } from './benchmark.ts'
import { printFigure } from './figure.ts'
import { createDice, postId, toPost, wordOf } from './social/synthetic-posts.ts'
import { percentileOf } from './utility/contest.ts'

const asking = { signal: new AbortController().signal }

/** How fast posts are imported, with the words they are found by, and answered in process, on SQLite. */
export const social: Benchmark = {
  name: 'social',
  summary: 'posts imported, told by id and searched in the store of the social API, and their size on disk',
  async run({ isQuick }) {
    const posts = isQuick ? 50_000 : 1_000_000
    const folder = await mkdtemp(join(tmpdir(), 'tollbook-bench-social-'))
    const workers = createWorkerPool({ threads: 1 })
    const file = join(folder, 'state.sqlite')
    const state = await openState(`sqlite:${file}`)
    try {
      await migrateState(state)
      await measureImport(state, { folder, file, posts })
      const { operations } = createStoreProvider({ state, workers })
      await measureById(operations, posts)
      await measureSearches(operations, { posts, calls: isQuick ? 400 : 4_000 })
    } finally {
      await workers.close()
      await state.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

type Operations = ReturnType<typeof createStoreProvider>['operations']

async function measureImport(
  state: State,
  { folder, file, posts }: { readonly folder: string; readonly file: string; readonly posts: number },
): Promise<void> {
  const path = join(folder, 'posts.jsonl')
  const stream = createWriteStream(path)
  for (let at = 0; at < posts; at += 1) if (!stream.write(`${toPost(at)}\n`)) await once(stream, 'drain')
  stream.end()
  await once(stream, 'finish')
  const [place] = await findSources(path)
  if (!place) throw new Error('no file was written')
  const source = await place.open()
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  const { counts } = await runImport(source, {
    ...{ state, isAgain: false, now: () => new Date(), signal: asking.signal },
    ...{ onBytes: () => {}, onFault: () => {} },
  })
  const seconds = (performance.now() - startedMs) / 1000
  const { user, system } = process.cpuUsage(cpu)
  if (counts.tweets !== posts) throw new Error(`${counts.tweets} of ${posts} posts were imported`)
  printFigure({
    ...{ bench: 'social', figure: 'posts imported with their words', unit: 'posts/s' },
    value: Number((posts / seconds).toPrecision(4)),
    setting: { posts, cpuMicrosEach: Number(((user + system) / posts).toPrecision(3)) },
  })
  const { size } = await stat(file)
  printFigure({
    ...{ bench: 'social', figure: 'size on disk', unit: 'bytes a post, less is better' },
    ...{ value: Math.round(size / posts), setting: { posts, megabytes: Math.round(size / 1e6) } },
  })
}

async function measureById({ tweetById }: Operations, posts: number): Promise<void> {
  if (!tweetById) throw new Error('the store tells no tweet by id')
  const next = createDice(7)
  const calls = 50_000
  const ids = Array.from({ length: calls }, () => postId(Math.floor(next() * posts)))
  for (const id of ids.slice(0, 2_000)) await tweetById(id, asking)
  const startedMs = performance.now()
  for (const id of ids) if (!(await tweetById(id, asking))) throw new Error(`no post ${id}`)
  printFigure({
    ...{ bench: 'social', figure: 'posts told by id, in process', unit: '1/s' },
    value: Number((calls / ((performance.now() - startedMs) / 1000)).toPrecision(4)),
    setting: { posts, calls },
  })
}

const EVERYTHING: TweetQuery = {
  ...{ words: [], phrase: null, anyWords: [], noneWords: [], hashtags: [], from: null, to: null },
  ...{
    mentioning: null,
    minReplies: null,
    minLikes: null,
    minReposts: null,
    since: null,
    until: null,
    lang: null,
  },
}

/** Searches of one kind after the other: words, several, a phrase, alternatives, exclusion, hashtags, likes, signs. */
async function measureSearches(
  { searchTweets }: Operations,
  { posts, calls }: { readonly posts: number; readonly calls: number },
): Promise<void> {
  if (!searchTweets) throw new Error('the store searches no tweets')
  const next = createDice(11)
  const word = () => wordOf(next())
  const kinds: readonly (() => Partial<TweetQuery>)[] = [
    () => ({ words: [word()] }),
    () => ({ words: [word(), word()] }),
    () => ({ phrase: `${word()} ${word()}` }),
    () => ({ anyWords: [word(), word(), word(), word(), word()] }),
    () => ({ words: [word()], noneWords: [wordOf(0)] }),
    () => ({ hashtags: [`tag${1 + Math.floor(next() * 50)}`] }),
    () => ({ words: [wordOf(0)], minLikes: 10 ** Math.floor(next() * 5) }),
    () => ({ words: ['紅茶'], lang: 'ja' }),
  ]
  const times: number[] = []
  for (let at = -kinds.length; at < calls; at += 1) {
    const query = { ...EVERYTHING, ...kinds[(at + kinds.length) % kinds.length]?.() }
    const startedMs = performance.now()
    await searchTweets(query, { limit: 20, position: null }, asking)
    // The first of each kind start the thread and compile.
    if (at >= 0) times.push(performance.now() - startedMs)
  }
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const)
    printFigure({
      ...{ bench: 'social', figure: `searches of eight kinds, ${name}`, unit: 'ms, less is better' },
      ...{ value: percentileOf(times, share), setting: { posts, calls } },
    })
}
