import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { PermanentError } from '@tollbook/flow/failure'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { DuckdbDatabase, FILE } from './duckdb-database.ts'

const NEVER = new AbortController().signal

async function open(): Promise<DuckdbDatabase> {
  return DuckdbDatabase.open(temporaryFolder('duckdb'))
}

test('a query ends when its signal does, and the next one runs', async (t) => {
  const database = await open()
  t.after(() => database.close())
  const caller = new AbortController()
  // More rows than any machine counts while the test waits.
  const endless = database.rows(
    'SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b',
    caller.signal,
  )
  caller.abort(new Error('the caller left'))
  await assert.rejects(endless, { message: 'the caller left' })
  assert.deepEqual(await database.rows('SELECT 1', NEVER), [['1']])
})

test('sums are exact far above 64 bits, and rows keep the order of the statement', async (t) => {
  const database = await open()
  t.after(() => database.close())
  // (2^64 - 1) * 3 = 55340232221128654845
  const sum = 'SELECT sum(toUInt64(18446744073709551615)) FROM range(3)'
  assert.deepEqual(await database.rows(sum, NEVER), [['55340232221128654845']])
  const rows = await database.rows('SELECT range, range % 7 FROM range(100000) ORDER BY range DESC', NEVER)
  assert.deepEqual(
    rows.map(([number]) => Number(number)),
    Array.from({ length: 100_000 }, (_, at) => 99_999 - at),
  )
})

test('a transaction that fails leaves nothing, and what was written is there after opening again', async () => {
  const folder = temporaryFolder('duckdb')
  const database = await DuckdbDatabase.open(folder)
  await database.write(async (connection) => void (await connection.run('CREATE TABLE t (a INTEGER)')))
  const failed = database.write(async (connection) => {
    await connection.run('INSERT INTO t VALUES (1)')
    throw new Error('after the first row')
  })
  await assert.rejects(failed, { message: 'after the first row' })
  await database.write(async (connection) => void (await connection.run('INSERT INTO t VALUES (2)')))
  await database.close()
  const again = await DuckdbDatabase.open(folder)
  assert.deepEqual(await again.rows('SELECT a FROM t', NEVER), [['2']])
  await again.close()
})

test('a statement reads no other file, and a query changes nothing', async (t) => {
  const folder = temporaryFolder('duckdb')
  const secret = join(folder, 'secret.csv')
  writeFileSync(secret, 'key\n4711\n')
  await mkdir(join(folder, 'ledger'))
  const database = await DuckdbDatabase.open(join(folder, 'ledger'))
  t.after(() => database.close())
  await assert.rejects(
    database.rows(`SELECT * FROM read_csv('${secret}')`, NEVER),
    /disabled by configuration/,
  )
  const target = join(folder, 'out.csv')
  await assert.rejects(
    database.write(async (connection) => void (await connection.run(`COPY (SELECT 1) TO '${target}'`))),
    PermanentError,
  )
  assert.equal(existsSync(target), false)
  await assert.rejects(database.rows('CREATE TABLE t (a INTEGER)', NEVER), /syntax error/)
})

test('a file that is not of DuckDB is refused with what to do', async () => {
  const folder = temporaryFolder('duckdb')
  writeFileSync(join(folder, FILE), 'not a database, but long enough to be read as one'.repeat(100))
  await assert.rejects(DuckdbDatabase.open(folder), {
    name: 'PermanentError',
    message: `the ledger in ${folder} cannot be read; move the folder away: its payments are read from the chain again`,
  })
})
