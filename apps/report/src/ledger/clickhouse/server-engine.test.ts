import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import { startOwnCluster, whyNoClickhouse } from '@tollbook/testing/ledger/clickhouse'
import { openServerEngine } from './server-engine.ts'

const NEVER = new AbortController().signal

test('a server of a cluster that is away is retried, and a wrong statement is not', {
  skip: whyNoClickhouse() ?? false,
}, async (context) => {
  const cluster = await startOwnCluster()
  context.after(() => cluster.close())
  const engine = await openServerEngine(new URL('/', cluster.url).href)
  context.after(() => engine.close())
  // Port 1 refuses connections, as a server that has ended.
  await assert.rejects(engine.rows("SELECT * FROM remote('127.0.0.1:1', system.one)", NEVER), (error) => {
    assert.ok(error instanceof RetryableError, String(error))
    assert.match(error.message, /\(code 279\)/)
    return true
  })
  await assert.rejects(engine.rows('SELECT * FROM no_such_table', NEVER), (error) => {
    assert.ok(error instanceof PermanentError, String(error))
    assert.match(error.message, /\(code 60\)/)
    return true
  })
})
