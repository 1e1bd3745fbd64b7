import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from '../config.ts'
import { UsageError } from './command.ts'
import { serve } from './serve.ts'
import { findReadChain } from './setup/chain.ts'

test('a service that does not exist is refused with the names of those that do', async () => {
  const call = (positionals: readonly string[]) => serve.run({ values: {}, positionals })
  await assert.rejects(call(['nothing']), /serve takes social, utility, inference or report/)
  await assert.rejects(call([]), UsageError)
  await assert.rejects(call(['report', 'utility']), /serve takes one service/)
})

test('without a chain by URL and without a local one, the settings are at fault', async () => {
  const config = loadConfig({ TOLLBOOK_DEVCHAIN_PORT: '1' })
  await assert.rejects(findReadChain(config), (error) => {
    assert(error instanceof ConfigError)
    assert.match(error.message, /no local chain answers at http:\/\/127\.0\.0\.1:1; tollbook start runs one/)
    return true
  })
})
