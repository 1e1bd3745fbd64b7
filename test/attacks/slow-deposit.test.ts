import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { devFacilitatorKey } from '../../src/devchain/accounts.ts'
import { createInProcessFacilitator } from '../../src/payments/settlement/in-process-facilitator.ts'
import { migrateState } from '../../src/state/migrate.ts'
import { openState } from '../../src/state/open.ts'
import { openShop, refusalOf } from '../paying/shop.ts'
import { startRpcProxy } from '../payments/rpc-proxy.ts'
import { toAccess } from '../payments/settlement-stage.ts'
import { countPending } from './block-race.ts'
import { openChannel, signChannelDeposit } from './channel-wallet.ts'

const PATH = '/test/good?word=hi'
const DEPOSIT = 500_000n

/** Nodes of Base estimate at the latest block; the dev chain's default is the pending one. */
const estimateAtLatest = (body: string) =>
  body.replace(/("method":"eth_estimateGas","params":\[\{[^}]*\})\]/, '$1,"latest"]')

test('a deposit that is mined late is sent once, and its payer is served', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-deposit-'))
  const state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
  await migrateState(state)
  const shop = await openShop({
    hasOwnBlocks: true,
    limits: { heartbeatMs: 3_600_000, leaseMs: 3_600_000 },
    facilitator: async (chain, logger) => {
      const node = await startRpcProxy(chain.rpcUrl, estimateAtLatest)
      t.after(node.close)
      return createInProcessFacilitator({
        chain: toAccess(node.url),
        key: devFacilitatorKey,
        state,
        logger,
        // Less than the block takes.
        settleTimeoutMs: 2_000,
      })
    },
  })
  t.after(async () => {
    await shop.close()
    await state.close()
    await rm(folder, { recursive: true, force: true })
  })
  const { chain } = shop.seller
  const key = await shop.newPayer(4n * DEPOSIT)
  const payment = await signChannelDeposit(await openChannel(shop, PATH, { key }), DEPOSIT)

  await chain.rpc.call('evm_setAutomine', [false])
  const first = await shop.ask(PATH, payment)
  assert.equal(await refusalOf(first), 'payment_in_flight')
  let isAnswered = false
  const repeated = shop.ask(PATH, payment).finally(() => {
    isAnswered = true
  })
  while (!isAnswered && (await countPending(chain)) < 2) await wait(5)
  await chain.mine()
  await chain.rpc.call('evm_setAutomine', [true])
  assert.equal(await refusalOf(await repeated), 'payment_in_flight')

  const sold = await shop.ask(PATH, payment)
  assert.equal(sold.status, 200, await sold.text())
  const next = await openChannel(shop, PATH, { key, salt: `0x${'01'.repeat(32)}` })
  const again = await shop.ask(PATH, await signChannelDeposit(next, DEPOSIT))
  assert.equal(again.status, 200, await again.text())
  assert.equal(await shop.balanceOf(key.address), 2n * DEPOSIT)
})
