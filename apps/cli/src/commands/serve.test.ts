import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '@tollbook/flow/config-error'
import { UsageError } from '@tollbook/flow/usage-error'
import { findReadChain } from '@tollbook/runtime/chain/chain-setting'
import { loadConfig } from '@tollbook/runtime/config'
import { serve } from './serve.ts'

test('an unknown service is rejected with the names of the known ones', async () => {
  const call = (positionals: readonly string[]) => serve.run({ values: {}, positionals })
  await assert.rejects(
    call(['nothing']),
    /serve accepts social, utility, inference, report or facilitator, or the file of a service/,
  )
  await assert.rejects(call([]), UsageError)
  await assert.rejects(call(['report', 'utility']), /serve report needs exactly one service/)
})

test('without an RPC URL or a local chain, there is a settings error', async () => {
  const config = loadConfig({ TOLLBOOK_DEVCHAIN_PORT: '1' })
  await assert.rejects(findReadChain(config), (error) => {
    assert(error instanceof ConfigError)
    assert.match(error.message, /no local chain answers at http:\/\/127\.0\.0\.1:1; tollbook start runs one/)
    return true
  })
})
