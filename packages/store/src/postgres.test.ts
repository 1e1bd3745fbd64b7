import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { sql } from 'kysely'
import pg from 'pg'
import { toDatabaseError } from './database-error.ts'
import { openState } from './open.ts'

test('a connection that breaks between two statements of a transaction fails that transaction alone', {
  skip: whyNoPostgres() ?? false,
}, async () => {
  const server = await startPostgres()
  const url = await server.createState()
  const { db, close } = await openState(url)
  const broken = db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)
    // While no statement runs, the client reports the end of its connection as an event.
    await wait(200)
    await sql`select 1`.execute(transaction)
  })
  await assert.rejects(broken, { name: 'DatabaseAway' })
  assert.equal((await sql<{ one: number }>`select 1 as one`.execute(db)).rows[0]?.one, 1)
  await close()
  await server.dropDatabase(url)
})

test('a database that does not answer in time is away, and so is a connection that has ended', {
  skip: whyNoPostgres() ?? false,
}, async () => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const client = new pg.Client({ connectionString: url, query_timeout: 50 })
  await client.connect()
  const late = await client.query('select pg_sleep(10)').catch(toDatabaseError)
  assert.ok(late instanceof DatabaseAway, String(late))
  await client.end()
  const ended = await client.query('select 1').catch(toDatabaseError)
  assert.ok(ended instanceof DatabaseAway, String(ended))
  await server.dropDatabase(url)
})

test('a database that ends a silent session is away', { skip: whyNoPostgres() ?? false }, async () => {
  const server = await startPostgres()
  const url = await server.createDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const ended = once(client, 'error')
  // The end of the connection is a further error.
  client.on('error', () => {})
  await client.query("set idle_session_timeout = '1ms'")
  const [error] = await ended
  assert.match(error.message, /idle-session timeout/)
  assert.ok(toDatabaseError(error) instanceof DatabaseAway)
  await server.dropDatabase(url)
})
