import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { devChannelEscrowAbi } from '@tollbook/testing/chain/dev-abis'
import { CENT } from '@tollbook/testing/paying/desk'
import { type Customer, openPayment, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { startFacilitator, type TestFacilitator } from '../facilitator/facilitator-stage.ts'
import { countPending, drainInFront, gasBurnt, raceInBlock } from './block-race.ts'
import { type Channel, openChannel, signChannelDeposit, signChannelPayment } from './channel-wallet.ts'
import { hostileCode } from './hostile-code.ts'

const PATH = '/test/good?word=hi'
const DEPOSIT = 500_000n
/** Less than any deposit takes; an empty transaction for a nonce that was not used takes 21,000. */
const NO_DEPOSIT = 50_000n

let shop: Shop
let facilitator: TestFacilitator
before(async () => {
  // No claims, whose gas would be counted: by neither process, since both claim what the state has.
  const limits = { heartbeatMs: 3_600_000, leaseMs: 3_600_000 }
  shop = await openShop({ hasOwnBlocks: true, limits })
  const { chain, state } = shop.seller
  facilitator = await startFacilitator({ access: toAccess(chain.rpcUrl), state }, null, { limits })
})
after(async () => {
  await facilitator?.close()
  await shop?.close()
})

let channels = 0
async function open(key: Customer): Promise<Channel> {
  channels += 1
  return openChannel(shop, PATH, { key, salt: `0x${channels.toString(16).padStart(64, '0')}` })
}

const signDeposit = (channel: Channel, max = CENT) => signChannelDeposit(channel, DEPOSIT, max)

/** Has the facilitator settle a deposit as another seller would. @returns the reason of its refusal */
async function settleElsewhere(payment: string): Promise<unknown> {
  const { accepted, ...paymentPayload } = openPayment(payment)
  const body = {
    x402Version: 2,
    paymentPayload: { ...paymentPayload, accepted },
    paymentRequirements: accepted,
  }
  const verified = await facilitator.post('/verify', body)
  const settled = await facilitator.post('/settle', body)
  assert.equal(settled.body.success, false)
  assert.equal(verified.body.isValid, false)
  return settled.body.errorReason
}

async function reasonOf(answer: Response): Promise<string> {
  const { reason } = (await answer.json()) as { readonly reason?: string }
  return `${answer.status} ${reason}`
}

test('deposits beside calls that fail cost the gas of one', async (t) => {
  const channel = await open(await shop.newPayer(4n * DEPOSIT))
  shop.desk.during = () => {
    throw new Error('out of order')
  }
  const gas = await gasBurnt(shop.seller.chain, async () => {
    for (let calls = 0; calls < 3; calls += 1)
      assert.equal((await shop.ask(PATH, await signDeposit(channel))).status, 500)
  })
  shop.desk.during = () => {}
  t.diagnostic(`3 calls burnt ${gas} gas`)
  assert.ok(gas > 0n && gas < 140_000n, `${gas} gas`)
  const last = await shop.ask(PATH, await signChannelPayment(channel))
  assert.equal(last.status, 200, await last.text())
})

test('no deposit is sent into a channel whose payer withdraws', async () => {
  const payer = await shop.newPayer(4n * DEPOSIT)
  const channel = await open(payer)
  assert.equal((await shop.ask(PATH, await signDeposit(channel))).status, 200)
  await shop.call(payer.key, {
    address: CONTRACTS.channelEscrow,
    abi: devChannelEscrowAbi,
    functionName: 'initiateWithdraw',
    args: [channel.config, DEPOSIT],
  })
  const gas = await gasBurnt(shop.seller.chain, async () => {
    for (let calls = 0; calls < 3; calls += 1) {
      const answer = await shop.ask(PATH, await signDeposit(channel, 2n * CENT))
      assert.equal(await reasonOf(answer), '402 invalid_batch_settlement_evm_channel_busy')
    }
  })
  assert.ok(gas < NO_DEPOSIT, `${gas} gas`)
})

test('code that accepts a deposit only in simulations burns nothing', async () => {
  const gas = await gasBurnt(shop.seller.chain, async () => {
    for (const rounds of [3_000, 500_000]) {
      const payer = await shop.newPayer()
      await shop.seller.chain.rpc.call('anvil_setCode', [payer.address, hostileCode(rounds)])
      const channel = await open(payer)
      const answer = await shop.ask(PATH, await signDeposit(channel))
      assert.equal(await reasonOf(answer), '402 invalid_batch_settlement_evm_deposit_failed')
      assert.match(String(await settleElsewhere(await signDeposit(channel))), /payer_has_code/)
    }
  })
  assert.ok(gas < NO_DEPOSIT, `${gas} gas`)
})

test('a wallet emptied in the block of its deposits burns the gas of one, and deposits no more', async (t) => {
  const { chain } = shop.seller
  let gas = 0n
  let poor = await shop.newPayer(DEPOSIT)
  // If the wallet is emptied before, nothing is sent.
  while (gas === 0n) {
    poor = await shop.newPayer(DEPOSIT)
    const payments: string[] = []
    while (payments.length < 4) payments.push(await signDeposit(await open(poor)))
    const serve = () => Promise.all(payments.map((payment) => shop.ask(PATH, payment)))
    const empty = () => drainInFront(chain, poor.key, DEPOSIT)
    gas = await gasBurnt(chain, () =>
      raceInBlock(chain, serve, empty, async () => (await countPending(chain)) > 0),
    )
  }
  t.diagnostic(`4 deposits burnt ${gas} gas`)
  // A second deposit would add 98,000. An empty transaction takes the place of one that had its nonce already: 21,000.
  assert.ok(gas < 98_500n + 3n * 21_100n, `${gas} gas`)
  await chain.fundUsdc(poor.address, DEPOSIT)
  const after = await gasBurnt(chain, async () => {
    const payment = await signDeposit(await open(poor))
    assert.equal(
      await reasonOf(await shop.ask(PATH, payment)),
      '402 invalid_batch_settlement_evm_deposit_failed',
    )
    const { accepted, ...rest } = openPayment(payment)
    const body = { x402Version: 2, paymentPayload: { ...rest, accepted }, paymentRequirements: accepted }
    assert.equal((await facilitator.post('/settle', body)).body.errorReason, 'wallet_barred')
  })
  assert.ok(after < NO_DEPOSIT, `${after} gas`)
})
