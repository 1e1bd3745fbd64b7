import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openShop, refusalOf, type Shop } from '../paying/shop.ts'
import { countPending, drainInFront, gasBurnt, raceInBlock } from './block-race.ts'
import { SETTLEMENT_ROUTES } from './settlement-routes.ts'

let shop: Shop
before(async () => {
  shop = await openShop({ hasOwnBlocks: true, limits: { burntGasOfPlain: 300_000n } })
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 2_000n })
})
after(() => shop?.close())

for (const { kind, path, scheme } of SETTLEMENT_ROUTES) {
  test(`a wallet emptied in the block of its settlement buys ${kind} at most once, and is refused`, async (context) => {
    const payer = await shop.newPayer(100_000n)
    if (scheme === 'upto') await shop.allowPermit2(payer)
    const pay = async () => {
      const response = await shop.ask(path, await shop.sign(payer, path))
      const isWhole = await response.text().then(
        () => true,
        () => false,
      )
      return { status: response.status, isWhole }
    }
    let answer: Awaited<ReturnType<typeof pay>> | undefined
    const gas = await gasBurnt(shop.seller.chain, () =>
      raceInBlock(
        shop.seller.chain,
        async () => {
          answer = await pay()
        },
        () => drainInFront(shop.seller.chain, payer.key, 100_000n),
      ),
    )
    context.diagnostic(`${kind}: ${gas} gas for one reverted settlement`)
    assert.equal(await shop.balanceOf(payer.address), 0n)
    // A metered stream begins before it settles and is cut if the settlement fails.
    if (kind === 'a metered stream') assert.equal(answer?.isWhole, false)
    else assert.equal(answer?.status, 402)
    assert.equal(shop.desk.runs, 1)
    await shop.seller.chain.mint(payer.address, 100_000n)
    const again = await shop.ask(path, await shop.sign(payer, path))
    assert.equal(await refusalOf(again), 'rate_limited')
    assert.ok(Number(again.headers.get('retry-after')) >= 600)
    assert.equal(shop.desk.runs, 1)
  })
}

test('paying buyers are served while others are refused', async () => {
  for (const { path, scheme } of SETTLEMENT_ROUTES) {
    const payer = await shop.newPayer()
    if (scheme === 'upto') await shop.allowPermit2(payer)
    const response = await shop.ask(path, await shop.sign(payer, path))
    assert.equal(response.status, 200)
    await response.text()
  }
})

test('a wallet emptied under many calls burns gas once; new wallets then get one call at a time', async (context) => {
  const { seller } = shop
  const [{ path }] = SETTLEMENT_ROUTES
  const burnt: bigint[] = []
  for (let wallet = 0; wallet < 3; wallet += 1) {
    const payer = await shop.newPayer(160_000n)
    const payments = await Promise.all(Array.from({ length: 16 }, () => shop.sign(payer, path)))
    const isReady = async () => {
      const rows = await seller.state.db
        .selectFrom('paid_call')
        .select(['state', 'tx_hash'])
        .where('payer', '=', payer.address.toLowerCase())
        .execute()
      const isDone = ({ state, tx_hash }: (typeof rows)[number]) =>
        state === 'released' || (state === 'settling' && tx_hash !== null)
      const sent = new Set(rows.filter(({ state }) => state === 'settling').map(({ tx_hash }) => tx_hash))
      // The hash is stored before the transaction is sent.
      return (
        rows.length === payments.length &&
        rows.every(isDone) &&
        sent.size === (await countPending(seller.chain))
      )
    }
    const gas = await gasBurnt(seller.chain, () =>
      raceInBlock(
        seller.chain,
        () => Promise.all(payments.map(async (payment) => (await shop.ask(path, payment)).text())),
        () => drainInFront(seller.chain, payer.key, 160_000n),
        isReady,
      ),
    )
    burnt.push(gas)
  }
  context.diagnostic(`three wallets with 16 calls each burnt ${burnt.join(', ')} gas`)
  // One settlement alone, which uses 59,000 gas.
  for (const gas of burnt.slice(1)) assert.ok(gas > 0n && gas < 80_000n, `${gas} gas`)
  const buyer = await shop.newPayer()
  assert.equal((await shop.ask(path, await shop.sign(buyer, path))).status, 200)
})
