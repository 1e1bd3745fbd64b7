import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { drainInFront, gasBurnt, raceInBlock } from './block-race.ts'

const PATH = '/test/meter?word=hi'

let shop: Shop
before(async () => {
  shop = await openShop({ hasOwnBlocks: true, limits: { burntGasOfPermits: 250_000n } })
  Object.assign(shop.desk, { charge: 2_000n })
})
after(() => shop?.close())

/** Pays as the unmodified client does: it signs a permit, because the wallet has approved nothing. */
async function drain(): Promise<{ readonly gas: bigint; readonly answer: string }> {
  const payer = await shop.newPayer(100_000n)
  const pay = shop.stockClient(payer).over(fetch)
  let answer = ''
  const gas = await gasBurnt(shop.seller.chain, () =>
    raceInBlock(
      shop.seller.chain,
      async () => {
        answer = await (await pay(`${shop.seller.url}${PATH}`)).text()
      },
      () => drainInFront(shop.seller.chain, payer.key, 100_000n),
    ),
  )
  return { gas, answer }
}

test('new wallets that sign a permit and are then emptied burn gas up to a bound', async (context) => {
  const first = await drain()
  context.diagnostic(`${first.gas} gas for one reverted settlement with a permit`)
  assert.ok(first.gas > 100_000n && first.gas < 160_000n, `${first.gas} gas`)
  assert.match(first.answer, /payment_settlement_failed/)
  // 124,000 of 250,000 are burnt, and a further call may burn 160,000.
  const second = await drain()
  assert.equal(second.gas, 0n)
  assert.match(second.answer, /allowance_required/)
})

test('wallets that approve Permit2 themselves are served after that', async () => {
  const payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  const response = await shop.ask(PATH, await shop.sign(payer, PATH, { scheme: 'upto' }))
  assert.equal(response.status, 200)
})
