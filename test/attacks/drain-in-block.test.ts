import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type Customer, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { countPending, drainInFront, gasBurnt, raceInBlock } from './block-race.ts'
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
  /** Empties a new wallet in the block of its settlement. @returns the gas that was burnt; 0 if the drain came earlier. */
  async function empty() {
    shop.desk.runs = 0
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
    assert.equal(await shop.balanceOf(payer.address), 0n)
    return { payer, answer, gas }
  }

  test(`a wallet emptied in the block of its settlement buys ${kind} at most once, and is refused`, async (context) => {
    let emptied = await empty()
    while (emptied.gas === 0n) emptied = await empty()
    const { payer, answer, gas } = emptied
    context.diagnostic(`${kind}: ${gas} gas for one reverted settlement`)
    // A metered stream begins before it settles and is cut if the settlement fails.
    if (kind === 'a metered stream') assert.equal(answer?.isWhole, false)
    else assert.equal(answer?.status, 402)
    assert.equal(shop.desk.runs, 1)
    await shop.seller.chain.fundUsdc(payer.address, 100_000n)
    const again = await shop.ask(path, await shop.sign(payer, path))
    const { code, until } = (await again.json()) as { code: string; until: string }
    assert.equal(code, 'wallet_barred')
    // 30 days, of which a minute may have passed.
    assert.ok(Date.parse(until) - Date.now() > (30 * 24 * 60 - 1) * 60_000, until)
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

/** Calls under way when the wallets are emptied: sent, or waiting for their turn to be sent. */
type OpenCall = { readonly state: string; readonly tx_hash: string | null }

/** Buys with each payment, and empties all wallets in front of the settlements that are sent by then. */
async function emptyDuring(
  payers: readonly Customer[],
  payments: readonly string[],
  { amount, isReady }: { readonly amount: bigint; readonly isReady: (calls: readonly OpenCall[]) => boolean },
): Promise<{ readonly gas: bigint; readonly codes: readonly string[] }> {
  const { seller } = shop
  const [{ path }] = SETTLEMENT_ROUTES
  const codes: string[] = []
  const areReady = async () => {
    const calls = await seller.state.db
      .selectFrom('paid_call')
      .select(['state', 'tx_hash'])
      .where('is_open', '=', 1)
      .execute()
    const sent = new Set(calls.flatMap(({ tx_hash }) => tx_hash ?? []))
    // The hash is stored before the transaction is sent.
    return isReady(calls) && sent.size > 0 && sent.size === (await countPending(seller.chain))
  }
  const gas = await gasBurnt(seller.chain, () =>
    raceInBlock(
      seller.chain,
      () => Promise.all(payments.map(async (payment) => codes.push(await codeOf(path, payment)))),
      () => Promise.all(payers.map(({ key }) => drainInFront(seller.chain, key, amount))),
      areReady,
    ),
  )
  return { gas, codes }
}

async function codeOf(path: string, payment: string): Promise<string> {
  const response = await shop.ask(path, payment)
  if (response.status !== 200) return refusalOf(response)
  await response.text()
  return 'served'
}

/** One settlement alone, which uses 59,000 gas. */
const MAX_ONE = 80_000n

test('a wallet emptied under many calls burns the gas of one settlement', async (context) => {
  const [{ path }] = SETTLEMENT_ROUTES
  const payer = await shop.newPayer(160_000n)
  const payments = await Promise.all(Array.from({ length: 16 }, () => shop.sign(payer, path)))
  const { gas, codes } = await emptyDuring([payer], payments, {
    amount: 160_000n,
    isReady: (calls) => calls.length === 16 && calls.every(({ state }) => state !== 'reserved'),
  })
  context.diagnostic(`a wallet with 16 calls burnt ${gas} gas`)
  assert.ok(gas > 0n && gas < MAX_ONE, `${gas} gas`)
  assert.deepEqual(codes, Array(16).fill('payment_settlement_failed'))
})

test('new wallets that are emptied in one block share one transaction', async (context) => {
  const [{ path }] = SETTLEMENT_ROUTES
  const payers: Customer[] = []
  while (payers.length < 6) payers.push(await shop.newPayer(10_000n))
  const payments = await Promise.all(payers.map((payer) => shop.sign(payer, path)))
  const { gas, codes } = await emptyDuring(payers, payments, {
    amount: 10_000n,
    isReady: (calls) => calls.length === 6 && calls.every(({ state }) => state !== 'reserved'),
  })
  context.diagnostic(`six wallets burnt ${gas} gas`)
  // 45,000 for each further payment of a batch.
  assert.ok(gas > 0n && gas < MAX_ONE + 5n * 45_000n, `${gas} gas`)
  assert.deepEqual(codes, Array(6).fill('payment_settlement_failed'))
})

test('a wallet that paid for two calls is refused for ten minutes only, and once', async () => {
  const [{ path }] = SETTLEMENT_ROUTES
  const payer = await shop.newPayer(100_000n)
  for (let call = 0; call < 2; call += 1)
    assert.equal(await codeOf(path, await shop.sign(payer, path)), 'served')
  const left = await shop.balanceOf(payer.address)
  const { gas } = await emptyDuring([payer], [await shop.sign(payer, path)], {
    amount: left,
    isReady: (calls) => calls.length === 1,
  })
  assert.ok(gas > 0n && gas < MAX_ONE, `${gas} gas`)
  await shop.seller.chain.fundUsdc(payer.address, 100_000n)
  const refused = await shop.ask(path, await shop.sign(payer, path))
  assert.equal(await refusalOf(refused), 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '600')
  const buyer = await shop.newPayer()
  assert.equal((await shop.ask(path, await shop.sign(buyer, path))).status, 200)
})
