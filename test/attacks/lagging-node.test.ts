import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { createInProcessFacilitator } from '@tollbook/facilitator/settlement/in-process-facilitator'
import { CENT } from '@tollbook/testing/paying/desk'
import { openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { type RpcProxy, startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { openChannel, signChannelDeposit, signChannelPayment } from './channel-wallet.ts'

const PATH = '/test/good?word=hi'
const DEPOSIT = 500_000n

let shop: Shop
let state: State
let node: RpcProxy
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-lagging-'))
  state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
  await migrateState(state)
  shop = await openShop({
    hasOwnBlocks: true,
    limits: { heartbeatMs: 3_600_000, leaseMs: 3_600_000 },
    facilitator: async (chain, logger) => {
      node = await startRpcProxy(chain.rpcUrl)
      return createInProcessFacilitator({ chain: toAccess(node.url), key: devFacilitatorKey, state, logger })
    },
  })
})
after(async () => {
  await shop?.close()
  await node?.close()
  await state?.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => node.setResults((_, result) => result))

/** From now on, what was read of contracts is read again as it was, while receipts and counts are new. */
function freezeReads(): void {
  const first = new Map<string, unknown>()
  node.setResults(({ method, params }, result) => {
    if (method !== 'eth_call') return result
    const key = JSON.stringify(params)
    if (!first.has(key)) first.set(key, result)
    return first.get(key)
  })
}

test('a refund blocks its channel until the node that is read has seen it', async () => {
  const key = await shop.newPayer(DEPOSIT)
  const channel = await openChannel(shop, PATH, { key })
  assert.equal((await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT))).status, 200)
  const buyNext = async () => shop.ask(PATH, await signChannelPayment(channel, 2n * CENT))
  freezeReads()
  const refund = await shop.ask(PATH, await signChannelPayment(channel, CENT, { type: 'refund' }))
  assert.equal(refund.status, 200, await refund.text())
  assert.equal(await shop.balanceOf(key.address), DEPOSIT - CENT)
  assert.equal(await refusalOf(await buyNext()), 'payment_in_flight')
  node.setResults((_, result) => result)
  assert.equal(await refusalOf(await buyNext()), 'payment_insufficient')
})

test('a deposit that the node that is read has not seen is under way, and sent once', async () => {
  const key = await shop.newPayer(DEPOSIT)
  const payment = await signChannelDeposit(await openChannel(shop, PATH, { key }), DEPOSIT)
  freezeReads()
  assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'payment_in_flight')
  assert.equal(await shop.balanceOf(key.address), 0n)
  assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'payment_in_flight')
  node.setResults((_, result) => result)
  assert.equal((await shop.ask(PATH, payment)).status, 200)
})
