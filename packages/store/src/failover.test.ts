import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { findFreePort } from '@tollbook/testing/servers/free-port'
import { openStateAt, type TestState } from '@tollbook/testing/state/open-state-at'
import { startPostgres, whyNoPostgres } from '@tollbook/testing/state/postgres'
import { sql } from 'kysely'
import { listPostgresUrls } from './postgres-urls.ts'

/** The address of a database that can go away and return. */
type Relay = { open(): Promise<void>; shut(): Promise<void> }

function createRelay(port: number, server: { readonly path: string } | { readonly port: number }): Relay {
  let listener: Server | null = null
  const sockets = new Set<Socket>()
  const join = (one: Socket, other: Socket) => {
    sockets.add(one)
    one.on('error', () => {})
    one.once('close', () => other.destroy())
    one.pipe(other)
  }
  return {
    open: () =>
      new Promise((resolve) => {
        listener = createServer((near) => {
          const far = connect(server)
          join(near, far)
          join(far, near)
        }).listen(port, '127.0.0.1', resolve)
      }),
    shut: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        listener?.close(() => resolve())
      }),
  }
}

async function behindRelay(
  hosts: (port: number) => string,
  work: (state: TestState, relay: Relay) => Promise<void>,
) {
  const server = await startPostgres()
  const url = new URL(await server.createState())
  const folder = url.searchParams.get('host')
  const target = folder ? { path: `${folder}/.s.PGSQL.5432` } : { port: Number(url.port || 5432) }
  const port = await findFreePort()
  const relay = createRelay(port, target)
  await relay.open()
  const state = await openStateAt(`postgres://${url.username}@${hosts(port)}${url.pathname}`)
  try {
    await work(state, relay)
  } finally {
    await state.close()
    await relay.shut()
    await server.dropDatabase(url.href)
  }
}

const skip = whyNoPostgres() ?? false
const alone = (port: number) => `127.0.0.1:${port}`
const one = sql<{ one: number }>`select 1 as one`

test('a query waits while the database is away, and runs once it has returned', { skip }, () =>
  behindRelay(alone, async (state, relay) => {
    const read = state.prepare('test of a failover', (db) =>
      db.selectFrom('payment_owner').select('id').where('id', '=', ''),
    )
    await read(['somebody'])
    await relay.shut()
    const waiting = read(['somebody'])
    await relay.open()
    assert.deepEqual(await waiting, [])
  }),
)

test('a read whose connection is lost runs again; a change is not repeated', { skip }, () =>
  behindRelay(alone, async (state, relay) => {
    const { db } = state
    const begun = async (words: string) => {
      for (;;) {
        const { rows } =
          await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like ${words}`.execute(
            db,
          )
        if (rows.length > 0) return
      }
    }
    const read = state.prepare('test of a failover', (own) =>
      own.selectFrom('payment_owner').select('id').where('id', '=', ''),
    )
    const locked = Promise.withResolvers<void>()
    const open = Promise.withResolvers<void>()
    const locking = db.transaction().execute(async (transaction) => {
      await sql`lock table payment_owner`.execute(transaction)
      locked.resolve()
      await open.promise
    })
    locking.catch(() => {})
    await locked.promise
    const reading = read(['somebody'])
    const changing = state.change('delete from payment_owner where id = $1', ['somebody'])
    changing.catch(() => {})
    await begun('select "id" from "payment_owner"%')
    await begun('delete from payment_owner%')
    await relay.shut()
    await relay.open()
    open.resolve()
    await assert.rejects(changing, { name: 'DatabaseAway' })
    await assert.rejects(locking, { name: 'DatabaseAway' })
    assert.deepEqual(await reading, [])
  }),
)

test('of several hosts the one that answers as the primary is used', { skip }, async () => {
  const closed = await findFreePort()
  await behindRelay(
    (port) => `127.0.0.1:${closed},127.0.0.1:${port}`,
    async ({ db }) => assert.deepEqual((await one.execute(db)).rows, [{ one: 1 }]),
  )
})

test('the hosts of a URL share everything else in it', () => {
  assert.deepEqual(listPostgresUrls('postgres://me:a,b@one:5432,two/books?sslmode=require'), [
    'postgres://me:a,b@one:5432/books?sslmode=require',
    'postgres://me:a,b@two/books?sslmode=require',
  ])
  assert.deepEqual(listPostgresUrls('postgres://me@localhost/books?host=/a,b'), [
    'postgres://me@localhost/books?host=/a,b',
  ])
})
