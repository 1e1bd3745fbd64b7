import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { DatabaseAway } from '@tollbook/flow/database-away'
import { onEveryState, onEveryStateUrl } from '@tollbook/testing/state/every-state'
import type { TestState } from '@tollbook/testing/state/open-state-at'
import { sql } from 'kysely'
import { isUniqueConflict } from './conflict.ts'
import { openState } from './open.ts'

const userOf = (id: string, fetchedAt = 0) => ({ id, username_key: id, body: '{}', fetched_at: fetchedAt })

async function countUsers(state: TestState): Promise<number> {
  const { count } = await state.db
    .selectFrom('social_user')
    .select((query) => query.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

onEveryState('a row reads back as it was written', async (state) => {
  const rows = [
    { id: '1', username_key: 'ädá', body: '{"a":"\u{1f600}\\u0000"}', fetched_at: Number.MAX_SAFE_INTEGER },
    { id: '2', username_key: '', body: "it's", fetched_at: -1 },
  ]
  await state.db.insertInto('social_user').values(rows).execute()
  const stored = state.db.selectFrom('social_user').select(['id', 'username_key', 'body', 'fetched_at'])
  assert.deepEqual(await stored.orderBy('id').execute(), rows)
})

onEveryState('values of every type arrive as the same JavaScript values', async (state) => {
  await sql`create table kinds (small bigint, big bigint, real double precision, word text, bytes bytea, none text)`.execute(
    state.db,
  )
  const bytes = new Uint8Array(Buffer.from('abc\u0000def')).subarray(1, 6)
  const row = [5, 2 ** 53 - 1, 0.1, '5', bytes, null] as const
  const insert = sql`insert into kinds values (${sql.join(row)}) returning *`
  const expected = {
    small: 5,
    big: 2 ** 53 - 1,
    real: 0.1,
    word: '5',
    bytes: new Uint8Array(bytes),
    none: null,
  }
  assert.deepEqual((await insert.execute(state.db)).rows, [expected])
  assert.deepEqual((await sql`select * from kinds`.execute(state.db)).rows, [expected])
  const computed = sql`select count(*) as n, cast(sum(small) as bigint) as total, small || 'x' as text from kinds group by small`
  assert.deepEqual((await computed.execute(state.db)).rows, [{ n: 1, total: 5, text: '5x' }])
})

onEveryState('an integer beyond 2^53 is an error, never a rounded number', async (state) => {
  await assert.rejects(sql`select cast('9007199254740993' as bigint) as n`.execute(state.db), RangeError)
})

onEveryState('affected rows are counted', async (state) => {
  await state.db
    .insertInto('social_user')
    .values([userOf('a'), userOf('b'), userOf('c')])
    .execute()
  const update = await state.db
    .updateTable('social_user')
    .set({ fetched_at: 1 })
    .where('id', 'in', ['a', 'b'])
    .executeTakeFirstOrThrow()
  assert.equal(update.numUpdatedRows, 2n)
  const gone = await state.db.deleteFrom('social_user').where('id', '=', 'x').executeTakeFirstOrThrow()
  assert.equal(gone.numDeletedRows, 0n)
})

onEveryState(
  'a second row with the same key is a unique conflict, and other errors are none',
  async (state) => {
    await state.db.insertInto('social_user').values(userOf('a')).execute()
    const again = state.db.insertInto('social_user').values(userOf('a')).execute()
    await assert.rejects(again, (error) => isUniqueConflict(error))
    const sameName = { ...userOf('b'), username_key: 'a' }
    await assert.rejects(state.db.insertInto('social_user').values(sameName).execute(), isUniqueConflict)
    await assert.rejects(
      sql`insert into absent values (1)`.execute(state.db),
      (error) => !isUniqueConflict(error),
    )
  },
)

onEveryState('of many writes at once those that fail leave the others alone', async (state) => {
  await state.db.insertInto('social_user').values(userOf('7')).execute()
  const writes = Array.from({ length: 64 }, (_, at) =>
    state.db
      .insertInto('social_user')
      .values(userOf(`${at % 32}`))
      .execute(),
  )
  const outcomes = await Promise.allSettled(writes)
  // 32 names, one of which existed: 31 of the 64 writes are new.
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 31)
  assert.equal(await countUsers(state), 32)
})

onEveryState('a transaction that throws leaves nothing behind', async (state) => {
  const failing = state.db.transaction().execute(async (transaction) => {
    await transaction.insertInto('social_user').values(userOf('a')).execute()
    throw new Error('on purpose')
  })
  await assert.rejects(failing, /on purpose/)
  assert.equal(await countUsers(state), 0)
})

onEveryState(
  'a transaction sees its own writes, and others see them only after the commit',
  async (state) => {
    await state.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('social_user').values(userOf('a')).execute()
      const own = await transaction.selectFrom('social_user').select('id').execute()
      assert.deepEqual(own, [{ id: 'a' }])
      assert.equal(await countUsers(state), 0)
    })
    assert.equal(await countUsers(state), 1)
  },
)

onEveryState('transactions that begin with a write to one row follow each other', async (state) => {
  await state.db.insertInto('social_user').values(userOf('counter')).execute()
  const addOne = () =>
    state.db.transaction().execute(async (transaction) => {
      const guard = transaction.updateTable('social_user').set({ body: 'held' }).where('id', '=', 'counter')
      const { fetched_at } = await guard.returning('fetched_at').executeTakeFirstOrThrow()
      const next = { fetched_at: fetched_at + 1 }
      await transaction.updateTable('social_user').set(next).where('id', '=', 'counter').execute()
    })
  const between = (at: number) =>
    state.db
      .insertInto('social_user')
      .values(userOf(`other${at}`))
      .execute()
  await Promise.all(Array.from({ length: 30 }, (_, at) => [addOne(), between(at)]).flat())
  const counter = await state.db
    .selectFrom('social_user')
    .select('fetched_at')
    .where('id', '=', 'counter')
    .execute()
  assert.deepEqual(counter, [{ fetched_at: 30 }])
  assert.equal(await countUsers(state), 31)
})

onEveryState('a prepared read binds its own values, and sees what was committed before it', async (state) => {
  const read = (values: readonly unknown[]) =>
    state.prepare('user by id or time', (db) =>
      db
        .selectFrom('social_user')
        .select(['id', 'fetched_at'])
        .where((eb) => eb.or([eb('id', '=', ''), eb('fetched_at', '=', 0)]))
        .orderBy('id'),
    )(values)
  assert.deepEqual(await read(['a', 7]), [])
  await state.db
    .insertInto('social_user')
    .values([userOf('a', 2 ** 53 - 1), userOf('b', 7), userOf("'")])
    .execute()
  const [a, b, quote] = [
    { id: 'a', fetched_at: 2 ** 53 - 1 },
    { id: 'b', fetched_at: 7 },
    { id: "'", fetched_at: 0 },
  ]
  assert.deepEqual(await read(['a', 7]), [a, b])
  assert.deepEqual(await Promise.all([read(["'", -1]), read(['b', 2 ** 53 - 1])]), [[quote], [a, b]])
  await assert.rejects(async () => read(['a']), TypeError)
})

onEveryState('a row has the columns that its table has now', async (state) => {
  const all = () => sql`select * from changing`.execute(state.db)
  await sql`create table changing (one text, two text)`.execute(state.db)
  await sql`insert into changing values ('1', '2')`.execute(state.db)
  assert.deepEqual((await all()).rows, [{ one: '1', two: '2' }])
  await sql`alter table changing drop column one`.execute(state.db)
  await sql`alter table changing add column three text default '3'`.execute(state.db)
  assert.deepEqual((await all()).rows, [{ two: '2', three: '3' }])
})

onEveryState('more statement texts than are kept prepared still run', async (state) => {
  const insert = (at: number) =>
    sql`insert into social_user (id, username_key, body, fetched_at) values (${`${at}`}, ${`${at}`}, ${sql.lit(`body ${at}`)}, 0)`.execute(
      state.db,
    )
  await Promise.all(Array.from({ length: 2_300 }, (_, at) => insert(at)))
  const last = await sql`select body from social_user where id = '2299'`.execute(state.db)
  assert.deepEqual(last.rows, [{ body: 'body 2299' }])
  assert.equal(await countUsers(state), 2_300)
})

onEveryStateUrl('closing loses nothing that was acknowledged, and later calls are refused', async (url) => {
  const first = await openState(url)
  await sql`create table kept (a bigint)`.execute(first.db)
  const writes = Array.from({ length: 50 }, (_, at) => sql`insert into kept values (${at})`.execute(first.db))
  const [outcomes] = await Promise.all([Promise.allSettled(writes), first.close()])
  await assert.rejects(sql`select 1`.execute(first.db))
  const second = await openState(url)
  const { rows } = await sql`select count(*) as n from kept`.execute(second.db)
  await second.close()
  assert.deepEqual(rows, [{ n: outcomes.filter((outcome) => outcome.status === 'fulfilled').length }])
})

test('a state that cannot be opened is an error with the reason', async () => {
  await assert.rejects(openState(`sqlite:${import.meta.filename}/state.sqlite`))
  await assert.rejects(openState(`sqlite:${import.meta.filename}`), /not a database/)
  await assert.rejects(openState('postgres://nobody@127.0.0.1:1/none'), (error) => {
    assert.ok(error instanceof DatabaseAway)
    assert.match(`${error.cause}`, /ECONNREFUSED/)
    return true
  })
  await assert.rejects(openState('mysql://x'), TypeError)
})

test('a state in memory ends with its close', async () => {
  const state = await openState('sqlite::memory:')
  await sql`create table a (b bigint)`.execute(state.db)
  assert.ok(state.file !== null && existsSync(state.file))
  await state.close()
  assert.equal(existsSync(state.file), false)
  await assert.rejects(sql`select * from a`.execute(state.db))
  await assert.rejects(state.change('delete from a', []), /the state store is closed/)
  const other = await openState('sqlite::memory:')
  await assert.rejects(sql`select * from a`.execute(other.db), /no such table: a/)
  await other.close()
})
