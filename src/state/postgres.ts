import { once } from 'node:events'
import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createPreparedReads } from './prepared-read.ts'
import type { Change, State } from './state.ts'
import type { Tables } from './tables.ts'

/** PostgreSQL allows 100 connections by default: enough for several processes. */
const MAX_CONNECTIONS = 20
const CONNECT_TIMEOUT_MS = 10_000

/** OIDs of types in pg_type.dat, which never change. */
const TYPES = { bool: 16, bytea: 17, int8: 20 } as const

/** Connects to a PostgreSQL server, 13 or newer, through a pool. */
export async function openPostgresState(url: string): Promise<State> {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: { getTypeParser },
    // The planner overestimates a search's rows, and JIT compilation takes longer than the query
    // (https://www.postgresql.org/docs/current/jit-decision.html).
    onConnect: (client) => client.query('set jit = off'),
  })
  // The pool drops a broken idle connection; the next query gets a new one, or the error.
  pool.on('error', () => {})
  // One that breaks between two statements of a transaction fails the next one; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const dialect: Dialect = new PostgresDialect({ pool })
  const db = new Kysely<Tables>({ dialect })
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw error
  }
  // A named statement is parsed once per connection; parsing takes longer than a point query.
  const prepare = createPreparedReads(db, ({ sql: text }, number) => {
    const statement = { name: `tollbook_${number}`, text }
    return async (values) => (await pool.query({ ...statement, values: [...values] })).rows
  })
  const change: Change = async (text, parameters) => (await pool.query(text, [...parameters])).rowCount ?? 0
  async function close(): Promise<void> {
    // Ending the pool would let callers that wait for a connection run into the timeout.
    while (pool.waitingCount > 0) await once(pool, 'release')
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
