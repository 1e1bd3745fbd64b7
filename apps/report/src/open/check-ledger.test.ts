import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '@tollbook/runtime/config'
import { checkLedger } from './check-ledger.ts'

const ENGINE = new URL('../ledger/duckdb/duckdb-database.ts', import.meta.url).href
/** No server listens there. */
const NO_INDEXER = 'http://127.0.0.1:1'

test('a ledger that another process uses is reported with that process, and does not fail', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-check-ledger-'))
  const script = `const { DuckdbDatabase } = await import('${ENGINE}')
    await DuckdbDatabase.open('${folder}')
    console.log('open')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exit = once(holder, 'exit')
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  await once(holder.stdout, 'data')
  const config = loadConfig({ TOLLBOOK_LEDGER_URL: `duckdb:${folder}`, TOLLBOOK_INDEXER_URL: NO_INDEXER })
  const [held] = await checkLedger(config)
  assert.deepEqual(
    [held?.verdict, held?.text],
    ['note', `duckdb:${folder} is in use by process ${holder.pid}`],
  )
  const [, indexer] = await checkLedger(
    loadConfig({ TOLLBOOK_LEDGER_URL: `duckdb:${folder}`, TOLLBOOK_INDEXER_PORT: '1' }),
  )
  assert.deepEqual(indexer, { verdict: 'ok', name: 'indexer', text: `runs in process ${holder.pid}` })
  holder.kill('SIGKILL')
  await exit
  const [free] = await checkLedger(config)
  assert.equal(free?.verdict, 'ok', free?.text)
})
