import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { startWriter, type Writer } from './writer.ts'

const ALONE = { isInTransaction: true }

/** A writer on a new file with a table `kept`, and a connection that sees only what is committed. */
async function open(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-writer-'))
  const path = join(folder, 'state.sqlite')
  const writer = await startWriter(path)
  await writer.run('create table kept (n integer primary key, word text)', [], {})
  const outside = new DatabaseSync(path, { readOnly: true })
  context.after(async () => {
    outside.close()
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  const numbers = () =>
    outside
      .prepare('select n from kept order by n')
      .all()
      .map(({ n }) => n)
  return { writer, path, numbers }
}

const insert = (writer: Writer, n: number, how = {}) =>
  writer.run('insert into kept (n, word) values (?, ?)', [n, `w${n}`], how)
const codeOf = (reason: unknown) => (reason as { code?: unknown }).code

test('statements of one turn get their own outcomes, in order, and a failing one undoes only itself', async (context) => {
  const { writer, numbers } = await open(context)
  const outcomes = await Promise.allSettled([
    insert(writer, 1),
    insert(writer, 1),
    writer.run('insert into kept (n, word) values (2, ?) returning word, n', ['x'], {}),
    writer.run('insert into missing values (1)', [], {}),
    writer.run('update kept set word = ?', ['y'], {}),
  ])
  assert.deepEqual(
    outcomes.map((one) => (one.status === 'fulfilled' ? one.value : codeOf(one.reason))),
    [1, 'ERR_SQLITE_ERROR', { columns: ['word', 'n'], rows: [['x', 2]] }, 'ERR_SQLITE_ERROR', 2],
  )
  assert.deepEqual(numbers(), [1, 2])
})

test('a failure has the extended result code of SQLite', async (context) => {
  const { writer } = await open(context)
  await insert(writer, 1)
  // https://sqlite.org/rescode.html#constraint_primarykey
  await assert.rejects(insert(writer, 1), { name: 'SqliteError', errcode: 1555 })
})

test('statements of one turn share one commit', async (context) => {
  const { writer, path } = await open(context)
  const logBytes = () => statSync(`${path}-wal`).size
  const before = logBytes()
  await Promise.all(Array.from({ length: 100 }, (_, n) => insert(writer, n)))
  // Each commit appends a page of 4,096 bytes at least, so 100 commits would append 409,600; 100 short rows fit on one.
  assert.ok(logBytes() - before < 10 * 4_096)
})

test('what a statement changed can be read from the file once it is answered', async (context) => {
  const { writer, numbers } = await open(context)
  for (const n of [1, 2, 3]) {
    await insert(writer, n)
    assert.equal(numbers().at(-1), n)
  }
})

test('eager statements are flushed to the disk and lazy ones are not, unless they share a commit', async (context) => {
  const { writer } = await open(context)
  // https://sqlite.org/pragma.html#pragma_synchronous: 1 is normal, 2 is full.
  const level = async (isLazy: boolean) => {
    const outcome = await writer.run('pragma synchronous', [], { isLazy })
    return typeof outcome === 'number' ? outcome : outcome.rows[0]?.[0]
  }
  assert.deepEqual([await level(false), await level(true), await level(false)], [2, 1, 2])
  assert.deepEqual(await Promise.all([level(true), level(false)]), [2, 2])
})

test('while a transaction is open, statements of others wait for its end, in their order', async (context) => {
  const { writer, numbers } = await open(context)
  await writer.begin()
  const order: string[] = []
  const note = (name: string) => () => order.push(name)
  const waiting = [
    writer.run('delete from kept', [], {}).then(note('delete')),
    insert(writer, 7).then(note('insert')),
    writer.begin().then(note('begin')),
    insert(writer, 8).then(note('insert behind')),
  ]
  await insert(writer, 1, ALONE)
  await insert(writer, 2, ALONE)
  assert.deepEqual([numbers(), order], [[], []])
  await writer.end('commit').then(note('commit'))
  await waiting[2]
  assert.deepEqual(order, ['commit', 'delete', 'insert', 'begin'])
  assert.deepEqual(numbers(), [7])
  await writer.end('rollback')
  await Promise.all(waiting)
  assert.deepEqual(numbers(), [7, 8])
})

test('a rollback leaves nothing, and a failure within a transaction leaves the rest of it', async (context) => {
  const { writer, numbers } = await open(context)
  await writer.begin()
  await insert(writer, 1, ALONE)
  await writer.end('rollback')
  assert.deepEqual(numbers(), [])
  await writer.begin()
  await insert(writer, 2, ALONE)
  await assert.rejects(insert(writer, 2, ALONE))
  await insert(writer, 3, ALONE)
  await writer.end('commit')
  assert.deepEqual(numbers(), [2, 3])
})

test('more different statements than the thread remembers still run as themselves', async (context) => {
  const { writer } = await open(context)
  const ask = async (n: number) => {
    const outcome = await writer.run(`select ${n} as n`, [], {})
    return typeof outcome === 'number' ? outcome : outcome.rows[0]?.[0]
  }
  const wanted = Array.from({ length: 2_500 }, (_, n) => n)
  assert.deepEqual(await Promise.all(wanted.map(ask)), wanted)
  // Numbers of the first ones were given anew meanwhile.
  assert.deepEqual(await Promise.all([0, 2_499, 1].map(ask)), [0, 2_499, 1])
})

test('values arrive as they were sent, and one that SQLite cannot hold fails its statement alone', async (context) => {
  const { writer } = await open(context)
  const view = new Uint8Array([9, 1, 2, 9]).subarray(1, 3)
  const values = [5, 0.5, 2n ** 62n, 'é', null, view]
  const outcomes = await Promise.allSettled([
    writer.run('select typeof(?), typeof(?), typeof(?), ?, ?, hex(?)', values, {}),
    writer.run('select ?', [true], {}),
    insert(writer, 1),
  ])
  const [read, refused, inserted] = outcomes
  assert.deepEqual(read.status === 'fulfilled' && read.value, {
    columns: ['typeof(?)', 'typeof(?)', 'typeof(?)', '?', '?', 'hex(?)'],
    rows: [['integer', 'real', 'integer', 'é', null, '0102']],
  })
  assert.match(
    String(refused.status === 'rejected' && refused.reason),
    /a value of type boolean cannot be stored/,
  )
  assert.equal(inserted.status === 'fulfilled' && inserted.value, 1)
})

test('a close lets everything that was sent finish, and refuses what comes after', async (context) => {
  const { writer, numbers } = await open(context)
  const sent = [1, 2, 3].map((n) => insert(writer, n))
  await writer.close()
  assert.deepEqual(await Promise.all(sent), [1, 1, 1])
  assert.deepEqual(numbers(), [1, 2, 3])
  await assert.rejects(insert(writer, 4), /the state store is closed/)
  await assert.rejects(writer.begin(), /the state store is closed/)
})

test('a close fails those who still wait for the end of a transaction', async (context) => {
  const { writer, numbers } = await open(context)
  await writer.begin()
  await insert(writer, 1, ALONE)
  const behind = insert(writer, 2)
  const refused = assert.rejects(behind, /the state store is closed/)
  await writer.close()
  await refused
  assert.deepEqual(numbers(), [])
})

test('a file that is not a database stops the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-writer-'))
  const path = join(folder, 'state.sqlite')
  writeFileSync(
    path,
    'no database at all, though as long as a header of one must be: 100 bytes and some more.'.repeat(9),
  )
  await assert.rejects(startWriter(path), /not a database/)
  rmSync(folder, { recursive: true })
})

test('whatever callers do at once, the file holds what was committed and nothing else', async (context) => {
  const { writer, numbers } = await open(context)
  /** What a caller does: rows alone, or rows in a transaction with its end. */
  const deed = fc.record({
    rows: fc.integer({ min: 1, max: 4 }),
    end: fc.constantFrom('alone', 'commit', 'rollback'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 12 }), async (deeds) => {
      await writer.run('delete from kept', [], {})
      const retained = deeds.map(async ({ rows, end }, caller) => {
        const own = Array.from({ length: rows }, (_, at) => caller * 10 + at)
        if (end !== 'alone') await writer.begin()
        await Promise.all(own.map((n) => insert(writer, n, { isInTransaction: end !== 'alone' })))
        if (end !== 'alone') await writer.end(end)
        return end === 'rollback' ? [] : own
      })
      const wanted = (await Promise.all(retained)).flat()
      assert.deepEqual(numbers(), wanted)
    }),
    { numRuns: 50 },
  )
})
