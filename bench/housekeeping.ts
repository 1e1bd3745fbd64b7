import { mkdtemp, rm, stat } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { sweepCalls } from '@tollbook/gate/calls/housekeeping'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { sql } from 'kysely'
import { printFigure } from '../measurements/print-figure.ts'
import type { Benchmark } from './benchmark.ts'
import { runPaidCalls } from './growth/paid-calls.ts'
import { fillPaidYear } from './growth/paid-year.ts'

const ROWS = { sqlite: 2_000_000, postgres: 10_000_000 } as const
const QUICK_ROWS = 100_000
const QUIET_MS = 20_000
/** Each of 16 callers begins a call so often: 80 calls a second. */
const CALL_EVERY_MS = 200
/** Acknowledged writes are on disk, and old rows are vacuumed as on a server in production. */
const SERVER = ['fsync=on', 'full_page_writes=on', 'shared_buffers=1GB', 'max_wal_size=4GB', 'autovacuum=on']

/** How long the table of calls keeps paid calls waiting while it deletes what has expired of a year. */
export const housekeeping: Benchmark = {
  name: 'housekeeping',
  summary: 'paid calls on a table of a year of calls, beside the deletion of its expired rows and alone',
  async run({ isQuick }) {
    const folder = await mkdtemp(join(tmpdir(), 'tollbook-bench-'))
    try {
      const file = join(folder, 'state.sqlite')
      const sqlite = await openState(`sqlite:${file}`)
      await migrateState(sqlite)
      await measure(sqlite, isQuick, async () => (await stat(file)).size)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    const why = whyNoPostgres()
    if (why !== null) return void process.stderr.write(`not on PostgreSQL: ${why}\n`)
    const { createState, dropDatabase } = await startPostgres(SERVER)
    const url = await createState()
    try {
      const postgres = await openState(url)
      const size = sql<{ size: number }>`select pg_total_relation_size('paid_call') as size`
      await measure(postgres, isQuick, async () => (await size.execute(postgres.db)).rows[0]?.size ?? 0)
    } finally {
      await dropDatabase(url)
    }
  },
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

async function measure(state: State, isQuick: boolean, sizeOf: () => Promise<number>): Promise<void> {
  const rows = isQuick ? QUICK_ROWS : ROWS[state.kind]
  const setting = { rows, atOnce: 16, everyMs: CALL_EVERY_MS }
  const print = (figure: string, unit: string, value: number, more: object = {}) => {
    const load = Number(loadavg()[0]?.toFixed(1))
    printFigure({
      bench: 'housekeeping',
      figure: `${figure}, ${rows / 1e6} million calls, ${NAMES[state.kind]}`,
      unit,
      value: Number(value.toPrecision(4)),
      ...more,
      setting: { ...setting, load },
    })
  }
  try {
    await timed(print, 'rows generated', () => fillPaidYear(state, rows, new Date()))
    print('a call on disk', 'bytes', (await sizeOf()) / rows)
    if (state.kind === 'postgres') {
      await timed(print, 'vacuum analyze', () => sql`vacuum analyze paid_call`.execute(state.db))
      await printIndexes(state, print)
    }
    await runPaidCalls(state, wait(2_000), CALL_EVERY_MS)
    const alone = await runPaidCalls(state, wait(QUIET_MS), CALL_EVERY_MS)
    const sweeping = timed(print, 'sweep of an hour', () => sweepCalls(state, new Date()))
    const beside = await runPaidCalls(state, Promise.all([sweeping, wait(QUIET_MS / 4)]), CALL_EVERY_MS)
    for (const name of ['p99Ms', 'worstMs'] as const) {
      const own = { peer: 'the same without housekeeping', peerValue: alone[name] }
      const label = name === 'p99Ms' ? 'p99' : 'the slowest'
      print(`statements of a paid call beside a sweep, ${label}`, 'ms', beside[name], own)
    }
    await timed(print, 'sweep of nothing', () => sweepCalls(state, new Date()))
    if (state.kind === 'postgres')
      await timed(print, 'vacuum after it', () => sql`vacuum paid_call`.execute(state.db))
  } finally {
    await state.close()
  }
}

type Print = (figure: string, unit: string, value: number, more?: object) => void

async function timed(print: Print, figure: string, work: () => Promise<unknown>): Promise<void> {
  const startMs = performance.now()
  await work()
  print(figure, 's', (performance.now() - startMs) / 1000)
}

async function printIndexes(state: State, print: Print): Promise<void> {
  const { rows } = await sql<{ name: string; size: number }>`
    select indexrelname as name, pg_relation_size(indexrelid) as size
    from pg_stat_user_indexes where relname = 'paid_call' order by size desc`.execute(state.db)
  for (const { name, size } of rows) print(`index ${name}`, 'MB', size / 1e6)
}
