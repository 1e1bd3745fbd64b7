import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { openPostgresPool } from './postgres-pool.ts'
import { createPreparedReads } from './prepared-read.ts'
import type { Change, State } from './state.ts'
import type { Tables } from './tables.ts'

/** OIDs of types in pg_type.dat, which never change. */
const TYPES = { bool: 16, bytea: 17, int8: 20 } as const

/** Connects to a PostgreSQL server, 13 or newer, through a pool. @param url may name several hosts */
export async function openPostgresState(url: string): Promise<State> {
  const pool = openPostgresPool(url, { getTypeParser })
  const dialect: Dialect = new PostgresDialect({ pool: pool.forKysely })
  const db = new Kysely<Tables>({ dialect })
  try {
    await pool.read({ text: 'select 1' })
  } catch (error) {
    await pool.end()
    throw error
  }
  // A named statement is parsed once per connection; parsing takes longer than a point query.
  const prepare = createPreparedReads(db, ({ sql: text }, number) => {
    const statement = { name: `tollbook_${number}`, text }
    return async (values) => (await pool.read({ ...statement, values: [...values] })).rows
  })
  const change: Change = async (text, parameters) =>
    (await pool.write({ text, values: [...parameters] })).rowCount ?? 0
  async function close(): Promise<void> {
    await pool.settled()
    await db.destroy()
  }
  return { kind: 'postgres', db, prepare, change, file: null, close }
}

/** Both databases return values as the same JavaScript types. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === TYPES.int8) return parseInteger
  if (oid === TYPES.bool) return (text) => (text === 't' ? 1 : 0)
  if (oid === TYPES.bytea) return parseBytes
  return pg.types.getTypeParser(oid, format ?? 'text')
}

function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`the state contains an integer beyond 2^53: ${text}`)
  return value
}

/** Bytes are sent as `\x` and hex digits (bytea_output = hex, the default). */
function parseBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}
