import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Customer, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { gasBurnt } from './block-race.ts'
import { hostileCode } from './hostile-code.ts'
import { SETTLEMENT_ROUTES } from './settlement-routes.ts'

/** The gas an attacker may burn per hour with one code, and with all codes; `gate-options.ts`. */
const MAX_BURNT_BY_CODE = 500_000n
const MAX_BURNT = 2_000_000n

let shop: Shop
before(async () => {
  shop = await openShop()
})
beforeEach(async () => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 2_000n })
  await shop.seller.state.db.deleteFrom('payer_code_use').execute()
})
after(() => shop?.close())

/**
 * A wallet with its own signing key whose code the chain calls, like an account with an EIP-7702 delegate.
 */
async function codedPayer(code: `0x${string}`, scheme: 'exact' | 'upto' = 'exact') {
  const payer = await shop.newPayer()
  if (scheme === 'upto') await shop.allowPermit2(payer)
  await shop.seller.chain.rpc.call('anvil_setCode', [payer.address, code])
  return payer
}

type Route = (typeof SETTLEMENT_ROUTES)[number]

/** Buys with a new wallet that has this code. */
async function attack(code: `0x${string}`, route: Route) {
  return buy(await codedPayer(code, route.scheme), route)
}

async function buy(payer: Customer, { path }: Route) {
  const response = await shop.ask(path, await shop.sign(payer, path))
  if (response.status === 200) {
    // A metered stream begins before it settles and is cut if the settlement fails.
    await assert.rejects(response.text())
    return 'unpaid'
  }
  return refusalOf(response)
}

async function assertHonestServed(): Promise<void> {
  for (const { path, scheme } of SETTLEMENT_ROUTES) {
    const payer = await shop.newPayer()
    if (scheme === 'upto') await shop.allowPermit2(payer)
    const response = await shop.ask(path, await shop.sign(payer, path))
    assert.equal(response.status, 200)
    await response.text()
  }
}

for (const route of SETTLEMENT_ROUTES) {
  test(`wallets of one code that pays only in simulations are stopped at a bound (${route.kind})`, async (context) => {
    const code = hostileCode(3_000)
    const codes: string[] = []
    const burnt = await gasBurnt(shop.seller.chain, async () => {
      for (let times = 0; times < 12; times += 1) codes.push(await attack(code, route))
    })
    const runs = shop.desk.runs
    context.diagnostic(`${route.kind}: 12 wallets burnt ${burnt} gas in ${runs} calls`)
    assert.ok(burnt <= MAX_BURNT_BY_CODE, `${burnt} gas`)
    assert.ok(runs >= 1 && runs <= 5, `${runs} handlers ran`)
    assert.deepEqual(codes.slice(runs), Array(12 - runs).fill('contract_wallet_refused'))
    await assertHonestServed()
  })
}

test('wallets of one code that attack concurrently burn no more', async (context) => {
  const [route] = SETTLEMENT_ROUTES
  const code = hostileCode(3_000)
  const payers: Customer[] = []
  while (payers.length < 16) payers.push(await codedPayer(code))
  const burnt = await gasBurnt(shop.seller.chain, () => Promise.all(payers.map((payer) => buy(payer, route))))
  context.diagnostic(`16 wallets at once burnt ${burnt} gas`)
  assert.ok(burnt <= MAX_BURNT_BY_CODE, `${burnt} gas`)
  await assertHonestServed()
})

test('variants of the code are stopped at a bound too, and wallets without code are served', async (context) => {
  const [route] = SETTLEMENT_ROUTES
  const codes: string[] = []
  const burnt = await gasBurnt(shop.seller.chain, async () => {
    for (let times = 0; times < 24; times += 1) codes.push(await attack(hostileCode(3_000, true), route))
  })
  context.diagnostic(`24 variants burnt ${burnt} gas in ${shop.desk.runs} calls`)
  assert.ok(burnt <= MAX_BURNT, `${burnt} gas`)
  assert.equal(codes.at(-1), 'contract_wallet_refused')
  await assertHonestServed()
})

test('code that burns more gas in one settlement than the hourly bound is never run', async () => {
  const [route] = SETTLEMENT_ROUTES
  const burnt = await gasBurnt(shop.seller.chain, async () => {
    assert.equal(await attack(hostileCode(23_000), route), 'contract_wallet_refused')
  })
  assert.equal(burnt, 0n)
  assert.equal(shop.desk.runs, 0)
})
