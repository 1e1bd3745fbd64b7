import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { openLedger, openLedgerReader } from '../ledger.ts'
import { findReader } from './reader-server.ts'

const NEVER = new AbortController().signal
const HOLDER = new URL('../../../../../packages/testing/src/report/held-ledger.ts', import.meta.url).pathname
const CHAIN = `0x${'c'.repeat(64)}` as const

/** A ledger that another process has opened. */
async function hold(t: TestContext) {
  const folder = temporaryFolder('held')
  const holder = spawn(process.execPath, [HOLDER, folder, CHAIN.slice(2)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(holder, 'exit')
  t.after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return { folder, holder, exit }
}

test('a ledger that another process has opened can be read, and not be written', async (t) => {
  const { folder, holder } = await hold(t)
  await assert.rejects(openLedger(`duckdb:${folder}`, CHAIN), {
    name: 'LedgerHeld',
    message: `the ledger in ${folder} is in use by process ${holder.pid}; stop it first`,
  })
  const { rows, table } = await openLedgerReader(`duckdb:${folder}`, CHAIN)
  assert.deepEqual(await rows(`SELECT count() FROM ${table}`, NEVER), [['0']])
  assert.deepEqual(await rows(`SELECT block, amount FROM ${table}`, NEVER), [])
  const many = await rows('SELECT range, 7 FROM range(150000)', NEVER)
  assert.deepEqual([many.length, many.at(-1)], [150_000, ['149999', '7']])
  await assert.rejects(rows('DROP TABLE payment_cccccccccccccccc', NEVER), /syntax error/)
  await assert.rejects(rows('SELECT 1) TO (SELECT 2', NEVER), /DuckDB rejected a statement/)
})

test('only who can read the folder is answered', async (t) => {
  const { folder } = await hold(t)
  const file = join(folder, 'reader.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const { port } = JSON.parse(readFileSync(file, 'utf8')) as { port: number }
  for (const headers of [{}, { authorization: 'Bearer 0' }, { authorization: `Bearer ${'0'.repeat(64)}` }]) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: 'SELECT 1' })
    assert.deepEqual([response.status, await response.text()], [401, ''])
  }
})

test('a process that was killed serves nothing, and its ledger can be opened', async (t) => {
  const { folder, holder, exit } = await hold(t)
  holder.kill('SIGKILL')
  await exit
  assert.equal(await findReader(folder), null)
  const { rows, close } = await openLedgerReader(`duckdb:${folder}`, CHAIN)
  assert.deepEqual(await rows('SELECT 1', NEVER), [['1']])
  await close()
})
