import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withEngineFailures } from './engine-failure.ts'

test('a server that ends while it answers is retried, broken data is not', async () => {
  const fail = (message: string) =>
    withEngineFailures('here', () => Promise.reject(new Error(`Code: 32, e.displayText() = DB::${message}`)))
  await assert.rejects(
    fail('Exception: Attempt to read after eof: while receiving packet from 192.0.2.1:9000'),
    { name: 'RetryableError' },
  )
  await assert.rejects(fail('Exception: Attempt to read after eof'), { name: 'PermanentError' })
})
