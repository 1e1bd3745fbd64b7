import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { type Dialect, Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { toDatabaseError } from './database-error.ts'
import { acceptPrimary, createHostTurns } from './postgres-hosts.ts'
import { createPreparedReads } from './prepared-read.ts'
import type { Change, State } from './state.ts'

/** OIDs of types in pg_type.dat, which never change. */
const TYPES = { bool: 16, bytea: 17, int8: 20 } as const

/** Connects to a PostgreSQL server, 13 or newer, through a pool. @param url may name several hosts */
export async function openPostgresState<Tables>(url: string): Promise<State<Tables>> {
  const pool = openPostgresPool(url, { getTypeParser })
  const dialect: Dialect = new PostgresDialect({ pool: pool.forKysely })
  const db = new Kysely<Tables>({ dialect })
  try {
    // Waits once: `read` would wait again for each lost connection.
    await pool.write({ text: 'select 1' })
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

/** PostgreSQL allows 100 connections by default: enough for several processes. */
const MAX_CONNECTIONS = 20
/** Of one attempt; a lost packet is sent again after 1 and 3 seconds. */
const CONNECT_TIMEOUT_MS = 4_000
/** A failover takes seconds. A caller that waits for a connection has not sent anything yet. */
const MAX_WAIT_MS = 10_000
const PAUSE_MS = 100
/** A silent host is noticed this long after the last answer, and its idle connections are dropped. */
const KEEP_ALIVE_MS = 5_000

/** Runs statements on the primary of one or several servers, also while they fail over. */
type StatePool = {
  /** The pool of queries that Kysely builds. */
  readonly forKysely: PostgresPool
  /** Runs a statement that may run twice: again after a lost connection. @throws DatabaseAway */
  read(statement: pg.QueryConfig): Promise<pg.QueryResult>
  /** Runs a statement once. @throws DatabaseAway when it may or may not have run */
  write(statement: pg.QueryConfig): Promise<pg.QueryResult>
  /** Resolves when nobody waits for a connection. */
  settled(): Promise<void>
  end(): Promise<void>
}

function openPostgresPool(url: string, types: pg.CustomTypesConfig): StatePool {
  const hosts = createHostTurns(url)
  const pool = new pg.Pool({
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types,
    Client: hosts.Client,
    onConnect: acceptPrimary,
  })
  // The pool drops a broken idle connection; the next query gets a new one, or the error.
  pool.on('error', () => {})
  // One that breaks between two statements of a transaction fails the next one; without a listener it would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => {})
    convertErrors(client)
  })

  /** Tries until a server accepts a connection: nothing was sent yet, so that a retry is always safe. */
  async function connect(): Promise<pg.PoolClient> {
    const untilMs = performance.now() + MAX_WAIT_MS
    for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      const { turn } = hosts
      try {
        return await pool.connect()
      } catch (cause) {
        hosts.leave(turn)
        const error = toDatabaseError(cause)
        if (!(error instanceof DatabaseAway) || pool.ending || performance.now() + pauseMs > untilMs)
          throw error
        await wait(pauseMs)
      }
    }
  }

  async function write(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await connect()
    try {
      return await client.query(statement)
    } finally {
      // The pool drops a client whose connection has ended.
      client.release()
    }
  }

  async function read(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const untilMs = performance.now() + MAX_WAIT_MS
    for (;;) {
      try {
        return await write(statement)
      } catch (error) {
        // With one connection all others are broken, and each of them fails once.
        const isFinal = !(error instanceof DatabaseAway) || pool.ending || performance.now() > untilMs
        if (isFinal) throw error
      }
    }
  }

  return {
    forKysely: { connect, end: () => pool.end(), options: pool.options } as unknown as PostgresPool,
    write,
    read,
    async settled() {
      // Ending the pool would let callers that wait for a connection run into the timeout.
      while (pool.waitingCount > 0) await once(pool, 'release')
    },
    end: () => pool.end(),
  }
}

/** `pg` types its overloads one by one. */
type Query = (...values: readonly unknown[]) => unknown

/** Makes a client throw `DatabaseAway`, and end, when its server is away or is no longer the primary. */
function convertErrors(client: pg.PoolClient): void {
  const query = client.query.bind(client) as Query
  const converted: Query = (...values) => {
    const result = query(...values)
    if (!(result instanceof Promise)) return result
    return result.catch((cause: unknown) => {
      const error = toDatabaseError(cause)
      // The pool drops a client that ends.
      if (error !== cause && 'end' in client) void (client as unknown as pg.Client).end().catch(() => {})
      throw error
    })
  }
  client.query = converted as typeof client.query
}
