import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { migrateState } from '@tollbook/store/migrate'
import { openState } from '@tollbook/store/open'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { baseline } from '../state/migrations.ts'
import type { Tables } from '../state/tables.ts'

/** Node's error for a package that is in no folder `node_modules`. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (!/^(?:viem|ox|@x402\/\w+)(?:\/|$)/.test(specifier)) return nextResolve(specifier, context)
    throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})

test('without the SDK and viem a facilitator runs, has no escrow, and says what payment channels need', async () => {
  const { createInProcessFacilitator } = await import('./in-process-facilitator.ts')
  const state = await openState<Tables>(`sqlite:${join(temporaryFolder('without-sdk'), 'state.sqlite')}`)
  await migrateState(state, [baseline])
  const lines: string[] = []
  const write = (_fields: object, message: string) => {
    lines.push(message)
  }
  const facilitator = await createInProcessFacilitator({
    // Nothing listens there: a facilitator starts without its chain.
    chain: { rpcUrl: 'http://127.0.0.1:9', network: BASE, finalTag: 'finalized' },
    key: devFacilitatorKey,
    state,
    logger: { debug: write, info: write, warn: write, error: write },
  })
  assert.equal(facilitator.escrow, undefined)
  assert.ok(lines.includes('payment channels are not settled: they need npm install @x402/evm viem'))
  assert.deepEqual(facilitator.addresses.length, 1)
  await facilitator.close()
  await state.close()
})
