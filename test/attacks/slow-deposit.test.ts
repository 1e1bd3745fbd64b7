import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { createInProcessFacilitator } from '@tollbook/facilitator/settlement/in-process-facilitator'
import { openShop, refusalOf } from '@tollbook/testing/paying/shop'
import { startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { sql } from 'kysely'
import { countPending } from './block-race.ts'
import { openChannel, signChannelDeposit } from './channel-wallet.ts'

const PATH = '/test/good?word=hi'
const DEPOSIT = 500_000n

/** Nodes of Base estimate at the latest block; the dev chain's default is the pending one. */
const estimateAtLatest = (body: string) =>
  body.replace(/("method":"eth_estimateGas","params":\[\{[^}]*\})\]/, '$1,"latest"]')

async function openDepositShop(t: TestContext, options: { settleTimeoutMs?: number; leaseMs?: number }) {
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
        ...options,
      })
    },
  })
  t.after(async () => {
    await shop.close()
    await state.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { shop, state }
}

test('a deposit whose transaction could not be stored may be sent again', async (t) => {
  const { shop, state } = await openDepositShop(t, { leaseMs: 500 })
  const key = await shop.newPayer(DEPOSIT)
  const payment = await signChannelDeposit(await openChannel(shop, PATH, { key }), DEPOSIT)
  await sql`create trigger refuse before update on signer_transaction when new.state = 'approved'
    begin select raise(abort, 'a fault of the store'); end`.execute(state.db)
  assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'payment_in_flight')
  await sql`drop trigger refuse`.execute(state.db)
  let sold = await shop.ask(PATH, payment)
  for (; sold.status !== 200; sold = await shop.ask(PATH, payment))
    assert.equal(await refusalOf(sold), 'payment_in_flight')
  assert.equal(await shop.balanceOf(key.address), 0n)
})

test('a deposit that is mined late is sent once, and its payer is served', async (t) => {
  // Less than the block takes.
  const { shop } = await openDepositShop(t, { settleTimeoutMs: 2_000 })
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
