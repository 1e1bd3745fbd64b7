import { mkdtemp, rm, stat } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { createStoreProvider } from '@tollbook/social/source/store/store-provider'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { createWorkerPool } from '@tollbook/workers/pool'
import { sql } from 'kysely'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { importPosts, writePosts } from './social/import-posts.ts'
import { runSearches, type SearchTimes } from './social/searches.ts'
import { measureServed } from './social/served-posts.ts'
import { postId } from './social/synthetic-posts.ts'
import { watchLoop } from './utility/loop-delay.ts'
import { watchSpinning } from './utility/spinning-loop.ts'

/**
 * Rate at which posts are imported with their search words, looked up and searched, on SQLite and on
 * PostgreSQL.
 */
export const social: Benchmark = {
  name: 'social',
  summary:
    'posts imported, looked up by id and searched in the store of the social API, and their size on disk',
  async run({ isQuick, posts = isQuick ? 50_000 : 1_000_000 }) {
    const folder = await mkdtemp(join(tmpdir(), 'tollbook-bench-social-'))
    try {
      const measuring = { folder, posts, isQuick, path: await writePosts(folder, posts) }
      await measureSqlite(measuring)
      const why = whyNoPostgres()
      if (why === null) await measurePostgres(measuring)
      else process.stderr.write(`not on PostgreSQL: ${why}\n`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

type Measuring = {
  readonly folder: string
  readonly path: string
  readonly posts: number
  readonly isQuick: boolean
}

type Operations = ReturnType<typeof createStoreProvider>['operations']

async function measureSqlite({ folder, path, posts, isQuick }: Measuring): Promise<void> {
  const file = join(folder, 'state.sqlite')
  const state = await openState(`sqlite:${file}`)
  const workers = createWorkerPool()
  try {
    await migrateState(state)
    await measureImport(state, { path, posts, sizeOf: async () => (await stat(file)).size })
    const { operations } = createStoreProvider({ state, workers })
    await measureById(operations, { posts, calls: 50_000 })
    const calls = isQuick ? 400 : 4_000
    printSearches('SQLite', await runSearches(operations, { calls }), { posts, calls })
    await measureLoop(operations, { posts, calls, isQuick })
    await measureServed({ state: `sqlite:${file}`, folder, posts }, isQuick)
  } finally {
    await workers.close()
    await state.close()
  }
}

/** Acknowledged writes are on disk, and the server has as much memory as an operator would configure. */
const SERVER = ['fsync=on', 'full_page_writes=on', 'shared_buffers=1GB', 'max_wal_size=4GB']

async function measurePostgres({ path, posts, isQuick }: Measuring): Promise<void> {
  const { createState, dropDatabase } = await startPostgres(SERVER)
  const url = await createState()
  const state = await openState(url)
  const workers = createWorkerPool({ threads: 1 })
  try {
    const sizeOf = async () => {
      const { rows } = await sql<{
        size: number
      }>`select pg_database_size(current_database()) as size`.execute(state.db)
      return rows[0]?.size ?? 0
    }
    await measureImport(state, { path, posts, sizeOf })
    // A production server does this by itself; the server of the tests does not.
    await sql`vacuum analyze social_tweet`.execute(state.db)
    const { operations } = createStoreProvider({ state, workers })
    await measureById(operations, { posts, calls: isQuick ? 2_000 : 10_000 }, 'PostgreSQL')
    const calls = isQuick ? 400 : 4_000
    printSearches('PostgreSQL', await runSearches(operations, { calls }), { posts, calls })
  } finally {
    await workers.close()
    await state.close()
    await dropDatabase(url)
  }
}

type Imported = {
  readonly path: string
  readonly posts: number
  readonly sizeOf: () => Promise<number>
}

async function measureImport(state: State, { path, posts, sizeOf }: Imported): Promise<void> {
  const before = await sizeOf()
  const { perSecond, cpuMicrosEach } = await importPosts(state, { path, posts })
  const kind = NAMES[state.kind]
  printFigure({
    bench: 'social',
    figure: `posts imported with their words, ${kind}`,
    unit: 'posts/s',
    value: Number(perSecond.toPrecision(4)),
    setting: { posts, cpuMicrosEach: Number(cpuMicrosEach.toPrecision(3)) },
  })
  const size = (await sizeOf()) - before
  printFigure({
    bench: 'social',
    figure: `size on disk, ${kind}`,
    unit: 'bytes a post, less is better',
    value: Math.round(size / posts),
    setting: { posts, megabytes: Math.round(size / 1e6) },
  })
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

async function measureById(
  { tweetById }: Operations,
  { posts, calls }: { readonly posts: number; readonly calls: number },
  kind = 'SQLite',
): Promise<void> {
  if (!tweetById) throw new Error('the store tells no tweet by id')
  const asking = { signal: new AbortController().signal }
  const next = createRandom(7)
  const ids = Array.from({ length: calls }, () => postId(Math.floor(next() * posts)))
  // Warm-up: the engine compiles the hot code.
  for (const id of ids.slice(0, calls / 2)) await tweetById(id, asking)
  const cpu = process.threadCpuUsage()
  const startedMs = performance.now()
  for (const id of ids) if (!(await tweetById(id, asking))) throw new Error(`no post ${id}`)
  const seconds = (performance.now() - startedMs) / 1000
  const { user, system } = process.threadCpuUsage(cpu)
  printFigure({
    bench: 'social',
    figure: `posts by id with their authors, in process, ${kind}`,
    unit: '1/s',
    value: Number((calls / seconds).toPrecision(4)),
    setting: { posts, calls, cpuMicrosEach: Number(((user + system) / calls).toPrecision(3)) },
  })
}

function printSearches(
  kind: string,
  { p50Ms, p99Ms, worstMs }: SearchTimes,
  setting: Readonly<Record<string, number>>,
): void {
  for (const [name, value] of [
    ['p50', p50Ms],
    ['p99', p99Ms],
  ] as const)
    printFigure({
      bench: 'social',
      figure: `searches of eight kinds, ${name}, ${kind}`,
      unit: 'ms, less is better',
      value,
      setting: { ...setting, worstMs },
    })
}

/** Searches run in threads; this measures how long they block the event loop for other calls. */
async function measureLoop(
  operations: Operations,
  { posts, calls, isQuick }: { readonly posts: number; readonly calls: number; readonly isQuick: boolean },
): Promise<void> {
  const idle = await watchSpinning(isQuick ? 2_000 : 5_000)
  const atOnce = 2 * availableParallelism()
  const watch = watchLoop()
  await runSearches(operations, { calls, atOnce })
  const delay = await watch.stop()
  const common = {
    bench: 'social',
    unit: 'ms, less is better',
    peer: 'a loop with nothing to do, as many threads spinning',
  }
  printFigure({
    ...common,
    figure: 'delay of the loop while searches run, p99, collection apart',
    value: delay.late.p99Ms,
    peerValue: idle.late.p99Ms,
    setting: { posts, calls, atOnce, threads: availableParallelism(), ...delay.late, turns: delay.turns },
  })
  // Other work on the machine affects the delay, but not this figure.
  printFigure({
    ...common,
    figure: 'processor time of a turn of the loop while searches run, p99, collection apart',
    value: delay.own.p99Ms,
    peerValue: idle.own.p99Ms,
    setting: { ...delay.own },
  })
}
