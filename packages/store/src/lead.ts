import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { toDatabaseError } from './database-error.ts'
import { listPostgresUrls } from './postgres-urls.ts'
import { refuseAbsentPg } from './refuse-absent-pg.ts'

/** Work that one process of a state store does at a time, with the number of its lock. */
const LEADS = Object.freeze({ indexer: 1 })
/** First key of the product's advisory locks: "toll" in ASCII. */
const LOCK_SPACE = 0x746f6c6c
const POLL_MS = 1_000
const HEARTBEAT_MS = 5_000
/** A leader that is silent for this long, such as a stopped process or a lost machine, loses the lead. */
const SILENCE_MS = 30_000

export type LeadOptions = {
  readonly signal: AbortSignal
  /** Called once if another process leads. */
  readonly onStandby: () => void
}

export type Lead = {
  /** Resolves when the database ends the lead; another process may lead from then on. */
  readonly lost: Promise<void>
  close(): Promise<void>
}

/**
 * Waits until no other process leads this work: on PostgreSQL by a session's advisory lock, which needs no
 * clock (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). The one process of a
 * SQLite file leads at once. @param url that of `openState`
 * @throws DatabaseAway when it cannot be reached; the signal's reason
 */
export async function takeLead(
  url: string,
  work: keyof typeof LEADS,
  { signal, onStandby }: LeadOptions,
): Promise<Lead> {
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
  if (url.startsWith('sqlite:')) return { lost, close: async () => {} }
  const client = await connectPrimary(listPostgresUrls(url))
  client.on('error', () => lose())
  client.on('end', () => lose())
  try {
    await limitSilence(client)
    for (let isStandby = false; !(await lock(client, LEADS[work])); ) {
      if (!isStandby) onStandby()
      isStandby = true
      await wait(POLL_MS, undefined, { signal })
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw toDatabaseError(error)
  }
  // An unanswered heartbeat ends the lead on this side, as silence does on the server's.
  const beating = setInterval(() => client.query('select 1').catch(() => lose()), HEARTBEAT_MS)
  return {
    lost,
    async close() {
      clearInterval(beating)
      await client.end()
    },
  }
}

async function connectPrimary([url, ...others]: readonly string[]): Promise<pg.Client> {
  const { default: pg } = await import('pg').catch(refuseAbsentPg)
  const { acceptPrimary } = await import('./postgres-hosts.ts')
  const client = new pg.Client({
    ...(url !== undefined && { connectionString: url }),
    query_timeout: SILENCE_MS,
    connectionTimeoutMillis: HEARTBEAT_MS,
  })
  // A connection that breaks rejects what waits for it.
  client.on('error', () => {})
  try {
    await client.connect()
    await acceptPrimary(client)
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if (others.length > 0) return connectPrimary(others)
    throw toDatabaseError(error)
  }
}

async function lock(client: pg.Client, number: number): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as taken', [LOCK_SPACE, number])
  return rows[0]?.taken === true
}

/** Makes the server end a silent session; version 13 has the limit for transactions only. */
async function limitSilence(client: pg.Client): Promise<void> {
  const settings = {
    idle_session_timeout: SILENCE_MS,
    tcp_user_timeout: SILENCE_MS,
    tcp_keepalives_idle: HEARTBEAT_MS / 1000,
    tcp_keepalives_interval: HEARTBEAT_MS / 1000,
  }
  for (const [name, value] of Object.entries(settings))
    await client.query('select set_config(name, $2, false) from pg_settings where name = $1', [
      name,
      String(value),
    ])
}
