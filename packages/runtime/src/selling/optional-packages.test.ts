import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import * as migrations from '@tollbook/gate/state/migrations'
import type { Tables } from '@tollbook/gate/state/tables'
import { createLogger } from '@tollbook/http/operations/logger'
import { migrateState } from '@tollbook/store/migrate'
import { openState } from '@tollbook/store/open'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { loadConfig } from '../config.ts'
import { PackageMissing } from '../process/package-missing.ts'

/** Node's error for a package that is in no folder `node_modules`. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, absent] = /^(@tollbook\/(?:facilitator|devchain)|viem|@x402\/\w+)(?:\/|$)/.exec(specifier) ?? []
    if (absent === undefined) return nextResolve(specifier, context)
    const message = `Cannot find package '${absent}' imported from ${context.parentURL}`
    throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})

const { openSelling } = await import('./selling.ts')
const dataDir = temporaryFolder('selling')
const state = await openState<Tables>(`sqlite:${join(dataDir, 'state.sqlite')}`)
await migrateState(state, Object.values(migrations))
after(() => state.close())
const logger = createLogger('silent')
// Nothing listens there: the start of a seller does not wait for its chain.
const nowhere = 'http://127.0.0.1:9'
const access = { rpcUrl: nowhere, network: BASE, finalTag: 'finalized' } as const
const chain = { isDev: false, rpcUrls: [nowhere], access, payTo: devPayTo } as const

function isMissing(name: string) {
  return (error: unknown) => {
    assert.ok(error instanceof PackageMissing)
    assert.equal(error.message, `the package ${name} is not installed: npm install ${name}`)
    return true
  }
}

test('a seller whose facilitator is at a URL needs neither the package of the facilitator nor of the local chain', async () => {
  const config = loadConfig({ TOLLBOOK_DATA_DIR: dataDir, TOLLBOOK_FACILITATOR_URL: nowhere })
  const selling = await openSelling({ config, chain, state, logger })
  assert.equal(selling.facilitator.waiting, undefined)
  await selling.close()
})

test('a seller that settles by itself names the package that it needs', async () => {
  const config = loadConfig({ TOLLBOOK_DATA_DIR: dataDir })
  const facilitatorKey = `0x${'11'.repeat(32)}` as const
  await assert.rejects(
    openSelling({ config, chain: { ...chain, facilitatorKey }, state, logger }),
    isMissing('@tollbook/facilitator'),
  )
})

test('a seller on the local chain names the package of that chain', async () => {
  const config = loadConfig({ TOLLBOOK_DATA_DIR: dataDir, TOLLBOOK_FACILITATOR_URL: nowhere })
  await assert.rejects(
    openSelling({ config, chain: { ...chain, isDev: true }, state, logger }),
    isMissing('@tollbook/devchain'),
  )
})
