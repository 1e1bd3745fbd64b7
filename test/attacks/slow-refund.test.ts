import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import type { Hex } from '@tollbook/chain/hex'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { createInProcessFacilitator } from '@tollbook/facilitator/settlement/in-process-facilitator'
import { CENT } from '@tollbook/testing/paying/desk'
import { closePayment, openPayment, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { sql } from 'kysely'
import { type Channel, openChannel, signChannelDeposit, signChannelPayment } from './channel-wallet.ts'

const PATH = '/test/good?word=hi'
const DEPOSIT = 500_000n
const REFUND = { type: 'refund' }

let shop: Shop
let state: State
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-refund-'))
  state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
  await migrateState(state)
  shop = await openShop({
    hasOwnBlocks: true,
    limits: { heartbeatMs: 3_600_000, leaseMs: 3_600_000 },
    facilitator: async (chain, logger) =>
      createInProcessFacilitator({
        chain: toAccess(chain.rpcUrl),
        key: devFacilitatorKey,
        state,
        logger,
        // Less than the block takes.
        settleTimeoutMs: 1_000,
      }),
  })
})
after(async () => {
  await shop?.close()
  await state?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A channel that has paid for one call. */
async function openUsed(): Promise<Channel & { readonly held: () => Promise<bigint> }> {
  const key = await shop.newPayer(2n * DEPOSIT)
  const channel = await openChannel(shop, PATH, { key })
  const sold = await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT))
  assert.equal(sold.status, 200, await sold.text())
  return { ...channel, held: () => shop.balanceOf(key.address) }
}

const setAutomine = (isOn: boolean) => shop.seller.chain.rpc.call('evm_setAutomine', [isOn])
afterEach(() => setAutomine(true))
const askRefund = async (channel: Channel) => shop.ask(PATH, await signChannelPayment(channel, CENT, REFUND))
const buyNext = async (channel: Channel) => shop.ask(PATH, await signChannelPayment(channel, 2n * CENT))

test('while a refund may still be mined, its channel buys nothing, however long that takes', async () => {
  const channel = await openUsed()
  await setAutomine(false)
  assert.equal(await refusalOf(await askRefund(channel)), 'payment_in_flight')
  await shop.seller.state.db.updateTable('payment_channel').set({ refund_until: 0 }).execute()
  assert.equal(await refusalOf(await buyNext(channel)), 'payment_in_flight')
  assert.equal(await refusalOf(await askRefund(channel)), 'payment_in_flight')
  await shop.seller.chain.mine()
  await setAutomine(true)
  assert.equal(await refusalOf(await buyNext(channel)), 'payment_insufficient')
  assert.equal(await channel.held(), 2n * DEPOSIT - CENT)
})

test('a refund that was mined late blocks its channel no longer', async () => {
  const channel = await openUsed()
  await setAutomine(false)
  assert.equal(await refusalOf(await askRefund(channel)), 'payment_in_flight')
  await shop.seller.chain.mine()
  await setAutomine(true)
  assert.equal(await channel.held(), 2n * DEPOSIT - CENT)
  const again = await shop.ask(PATH, await signChannelDeposit(channel, DEPOSIT, 2n * CENT))
  assert.equal(again.status, 200, await again.text())
})

test('a refund that is refused blocks its channel no longer', async () => {
  const channel = await openUsed()
  const nothing = await signChannelPayment(channel, CENT, { ...REFUND, amount: '0' })
  assert.equal((await shop.ask(PATH, nothing)).status, 400)
  const sold = await buyNext(channel)
  assert.equal(sold.status, 200, await sold.text())
})

test('the hex digits of a refund may be capital letters', async () => {
  const channel = await openUsed()
  const payment = openPayment(await signChannelPayment(channel, CENT, REFUND))
  const { voucher, ...rest } = payment.payload as unknown as { voucher: Record<string, Hex> }
  const toCapitals = (hex = '') => `0x${hex.slice(2).toUpperCase()}`
  const capitals = {
    ...voucher,
    channelId: toCapitals(voucher.channelId),
    signature: toCapitals(voucher.signature),
  }
  const refunded = await shop.ask(PATH, closePayment({ ...payment, payload: { ...rest, voucher: capitals } }))
  assert.equal(refunded.status, 200, await refunded.text())
  assert.equal(await channel.held(), 2n * DEPOSIT - CENT)
})

test('a process whose clock is ahead ends no refund that may still be stored', async (t) => {
  const channel = await openUsed()
  await sql`create trigger refuse before update on signer_transaction when new.state = 'approved'
    begin select raise(abort, 'a fault of the store'); end`.execute(state.db)
  assert.equal(await refusalOf(await askRefund(channel)), 'payment_in_flight')
  await sql`drop trigger refuse`.execute(state.db)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 120_000 })
  assert.equal(await refusalOf(await buyNext(channel)), 'payment_in_flight')
  await shop.seller.state.db.updateTable('payment_channel').set({ refund_until: 0 }).execute()
  assert.equal((await buyNext(channel)).status, 200)
})
