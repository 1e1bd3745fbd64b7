import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openShop, refusalOf, type Shop } from '../paying/shop.ts'
import { drainInFront, gasBurnt, raceInBlock } from './block-race.ts'
import { SETTLEMENT_ROUTES } from './settlement-routes.ts'

let shop: Shop
before(async () => {
  shop = await openShop({ hasOwnBlocks: true })
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 2_000n })
})
after(() => shop?.close())

for (const { kind, path, scheme } of SETTLEMENT_ROUTES) {
  test(`a wallet emptied in the block of its settlement buys ${kind} once at most, and is refused`, async (context) => {
    const payer = await shop.newPayer(100_000n)
    if (scheme === 'upto') await shop.allowPermit2(payer)
    const pay = async () => {
      const response = await shop.ask(path, await shop.sign(payer, path))
      return { status: response.status, text: await response.text() }
    }
    let status = 0
    const gas = await gasBurnt(shop.seller.chain, () =>
      raceInBlock(
        shop.seller.chain,
        async () => {
          const answer = await pay()
          status = answer.status
        },
        () => drainInFront(shop.seller.chain, payer.key, 100_000n),
      ),
    )
    context.diagnostic(`${kind}: ${gas} gas for one reverted settlement`)
    assert.equal(await shop.balanceOf(payer.address), 0n)
    if (kind !== 'a metered stream') assert.equal(status, 402)
    assert.equal(shop.desk.runs, 1)
    await shop.seller.chain.mint(payer.address, 100_000n)
    const again = await shop.ask(path, await shop.sign(payer, path))
    assert.equal(await refusalOf(again), 'rate_limited')
    assert.ok(Number(again.headers.get('retry-after')) >= 600)
    assert.equal(shop.desk.runs, 1)
  })
}

test('buyers who pay are served while others are refused', async () => {
  for (const { path, scheme } of SETTLEMENT_ROUTES) {
    const payer = await shop.newPayer()
    if (scheme === 'upto') await shop.allowPermit2(payer)
    const response = await shop.ask(path, await shop.sign(payer, path))
    assert.equal(response.status, 200)
    await response.text()
  }
})
