import assert from 'node:assert/strict'
import { test } from 'node:test'
import { devFacilitatorKey, devPayTo, devPayToKeys } from '@tollbook/chain/dev-accounts'
import { ConfigError } from '@tollbook/flow/config-error'
import { loadConfig } from '../config.ts'
import { realChainSetting } from './chain-setting.ts'

test('on a chain with real money, keys that anyone knows are refused', async () => {
  const config = loadConfig({
    TOLLBOOK_FACILITATOR_KEY: devFacilitatorKey,
    TOLLBOOK_OFFER_KEY: devPayToKeys.utility,
    TOLLBOOK_UTILITY_PAY_TO: devPayTo.utility,
  })
  await assert.rejects(realChainSetting(config, ['http://127.0.0.1:1'], ['utility']), (error) => {
    assert.ok(error instanceof ConfigError)
    assert.deepEqual(
      error.issues.map((issue) => issue.split(':')[0]),
      ['TOLLBOOK_FACILITATOR_KEY', 'TOLLBOOK_OFFER_KEY', 'TOLLBOOK_UTILITY_PAY_TO', 'TOLLBOOK_CHAIN_RPC_URL'],
    )
    return true
  })
})
