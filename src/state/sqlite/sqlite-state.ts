import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { createPreparedReads } from '../prepared-read.ts'
import type { Change, State } from '../state.ts'
import type { Tables } from '../tables.ts'
import { createSqliteDriver, toRows } from './driver.ts'
import { openReader } from './reader.ts'
import { startWriter } from './writer.ts'

/** Opens a SQLite file in WAL mode; `:memory:` is a temporary file, deleted on close. */
export async function openSqliteState(path: string): Promise<State> {
  const temporary = path === ':memory:' ? mkdtempSync(join(tmpdir(), 'tollbook-state-')) : null
  const file = temporary ? join(temporary, 'state.sqlite') : resolve(path)
  mkdirSync(dirname(file), { recursive: true })
  const writer = await startWriter(file)
  const reader = openReader(file)
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new ManyCallersAdapter(),
      createDriver: () => createSqliteDriver(reader, writer),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const prepare = createPreparedReads(
    db,
    ({ sql }) =>
      async (parameters) =>
        toRows(reader.run(sql, parameters)),
  )
  const change: Change = async (sql, parameters, isLazy = false) => {
    const outcome = await writer.run(sql, parameters, { isLazy })
    return typeof outcome === 'number' ? outcome : outcome.rows.length
  }
  async function close(): Promise<void> {
    await db.destroy()
    reader.close()
    await writer.close()
    if (temporary) rmSync(temporary, { recursive: true, force: true })
  }
  return { kind: 'sqlite', db, prepare, change, file, close }
}

/** Kysely would queue all callers for one connection; ours only posts to the writer. */
class ManyCallersAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}
