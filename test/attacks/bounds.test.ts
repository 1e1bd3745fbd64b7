import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { DEV_CLIENT_ADDRESSES } from '../../src/devchain/accounts.ts'
import { BASE } from '../../src/money/base.ts'
import { CENT, METER } from '../paying/desk.ts'
import { type Customer, openShop, refusalOf, type Shop } from '../paying/shop.ts'
import { newPayer, type Payer, signPayment } from '../payments/sign-payment.ts'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'
/** What one address may ask for nothing; enough for what the tests above the flood need. */
const UNPAID_PER_MINUTE = 300

let shop: Shop
before(async () => {
  shop = await openShop({ settings: { TOLLBOOK_UNPAID_PER_MINUTE: `${UNPAID_PER_MINUTE}` } })
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 0n })
})
after(() => shop?.close())

/** Keeps handlers waiting; `reached(n)` resolves when n of them wait. */
function holdHandlers() {
  const opened = Promise.withResolvers<void>()
  const marks = new Map<number, () => void>()
  shop.desk.during = () => {
    marks.get(shop.desk.runs)?.()
    return opened.promise
  }
  const reached = (runs: number) =>
    shop.desk.runs >= runs
      ? Promise.resolve()
      : new Promise<void>((resolve) => marks.set(runs, () => resolve()))
  return { reached, letOn: opened.resolve }
}

async function signMany(payer: Payer, path: string, count: number): Promise<string[]> {
  const terms = await shop.challenge(path)
  return Promise.all(Array.from({ length: count }, () => signPayment(payer, terms)))
}

test('open maxima of one payer are held against its balance: no further handler runs', async () => {
  const payer = await shop.newPayer(METER.most * 2n + METER.most / 2n)
  await shop.allowPermit2(payer)
  const [first, second, third, fourth] = await signMany(payer, METERED, 4)
  const { reached, letOn } = holdHandlers()
  const served = [shop.ask(METERED, first), shop.ask(METERED, second)]
  await reached(2)
  for (const further of [third, fourth])
    assert.equal(await refusalOf(await shop.ask(METERED, further)), 'payment_insufficient')
  assert.equal(shop.desk.runs, 2)
  letOn()
  for (const response of served) assert.equal((await response).status, 200)
  assert.equal((await shop.ask(METERED, third)).status, 200, 'what is settled is held no more')
})

test('many maxima above the balance at once: whatever runs is paid, and the balance covers it', async () => {
  const payer = await shop.newPayer(METER.most * 3n)
  await shop.allowPermit2(payer)
  shop.desk.charge = METER.most
  const payments = await signMany(payer, METERED, 12)
  const before = await shop.balanceOf(payer.address)
  const responses = await Promise.all(payments.map((payment) => shop.ask(METERED, payment)))
  const served = responses.filter(({ status }) => status === 200).length
  for (const response of responses) {
    if (response.status !== 200) assert.equal(await refusalOf(response), 'payment_insufficient')
  }
  assert.equal(shop.desk.runs, served)
  assert.ok(served <= 3)
  assert.equal(before - (await shop.balanceOf(payer.address)), METER.most * BigInt(served))
})

test('open prices of one payer are held against its balance as well', async () => {
  const payer = await shop.newPayer(CENT)
  const [first, second] = await signMany(payer, PATH, 2)
  const { reached, letOn } = holdHandlers()
  const served = shop.ask(PATH, first)
  await reached(1)
  assert.equal(await refusalOf(await shop.ask(PATH, second)), 'payment_insufficient')
  letOn()
  assert.equal((await served).status, 200)
})

test('open maxima of one payer are limited by what Permit2 may still move', async () => {
  const payer = await shop.newPayer()
  await shop.callUsdc(payer.key, 'approve', [BASE.permit2, METER.most])
  shop.desk.charge = METER.most
  const [first, ...further] = await signMany(payer, METERED, 4)
  const { reached, letOn } = holdHandlers()
  const served = shop.ask(METERED, first)
  await reached(1)
  const refused = Promise.all(further.map((payment) => shop.ask(METERED, payment)))
  await Promise.race([refused, reached(2)])
  letOn()
  for (const response of await refused) assert.equal(await refusalOf(response), 'allowance_required')
  assert.equal((await served).status, 200)
  assert.equal(shop.desk.runs, 1)
})

test('allowance permits signed at the same time run no more handlers than may stay unpaid', async () => {
  const payer = await shop.newPayer()
  shop.desk.charge = METER.most
  // Each client signs a permit with the same number, of which the token will take one.
  const calls = Array.from({ length: 9 }, () =>
    shop.stockClient(payer).over(fetch)(`${shop.seller.url}${METERED}`),
  )
  const responses = await Promise.all(calls)
  const served = responses.filter(({ status }) => status === 200).length
  assert.ok(served >= 1)
  assert.ok(shop.desk.runs <= 5, `${shop.desk.runs} handlers ran`)
  assert.equal(await shop.balanceOf(payer.address), 1_000_000n - METER.most * BigInt(served))
})

test('a payer has sixty-four calls under way and no more, while others are served', async () => {
  const [payer, other] = [await shop.newPayer(), await shop.newPayer()]
  const payments = await signMany(payer, PATH, 66)
  const { reached, letOn } = holdHandlers()
  const served = payments.slice(0, 64).map((payment) => shop.ask(PATH, payment))
  await reached(64)
  for (const payment of payments.slice(64))
    assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'rate_limited')
  assert.equal(shop.desk.runs, 64)
  const others = shop.ask(PATH, await shop.sign(other, PATH))
  await reached(65)
  letOn()
  for (const response of [...served, others]) assert.equal((await response).status, 200)
  assert.equal(await shop.balanceOf(payer.address), 1_000_000n - CENT * 64n)
})

test('a payer whose wallet is empty after the work five times is refused for a while', async () => {
  const payer = await shop.newPayer(0n)
  const other = await shop.newPayer()
  const drain = async ({ key, address }: Customer) =>
    shop.callUsdc(key, 'transfer', [DEV_CLIENT_ADDRESSES[8], await shop.balanceOf(address)])
  shop.desk.during = () => drain(payer)
  for (let strike = 1; strike <= 5; strike += 1) {
    await shop.seller.chain.mint(payer.address, CENT)
    const response = await shop.ask(PATH, await shop.sign(payer, PATH))
    assert.equal(await refusalOf(response), 'payment_settlement_failed')
  }
  await shop.seller.chain.mint(payer.address, CENT)
  const response = await shop.ask(PATH, await shop.sign(payer, PATH))
  assert.ok(Number(response.headers.get('retry-after')) >= 600)
  assert.equal(await refusalOf(response), 'rate_limited')
  assert.equal(shop.desk.runs, 5)
  assert.equal(await shop.balanceOf(payer.address), CENT)
  shop.desk.during = () => {}
  assert.equal((await shop.ask(PATH, await shop.sign(other, PATH))).status, 200)
})

test('paid calls are never limited by the unpaid budget of an address', async () => {
  const payer = await shop.newPayer()
  const payments = await signMany(payer, PATH, 60)
  for (let at = 0; at < payments.length; at += 20) {
    const responses = await Promise.all(payments.slice(at, at + 20).map((payment) => shop.ask(PATH, payment)))
    assert.ok(responses.every(({ status }) => status === 200))
  }
})

test('payments of empty wallets are bounded like unpaid requests, before any I/O', async () => {
  const terms = await shop.challenge(PATH)
  const rows = async () => (await shop.seller.state.db.selectFrom('paid_call').select('id').execute()).length
  const before = await rows()
  const codes: string[] = []
  // The bucket was full at most once, and fills up by five in a second.
  for (let asked = 0; asked < 4 * UNPAID_PER_MINUTE && !codes.includes('rate_limited'); asked += 20) {
    const payments = await Promise.all(Array.from({ length: 20 }, () => signPayment(newPayer(), terms)))
    const responses = await Promise.all(payments.map((payment) => shop.ask(PATH, payment)))
    codes.push(...(await Promise.all(responses.map(refusalOf))))
  }
  assert.deepEqual(new Set(codes), new Set(['payment_insufficient', 'rate_limited']))
  const written = (await rows()) - before
  assert.equal(written, codes.filter((code) => code === 'payment_insufficient').length)
  assert.equal(shop.desk.runs, 0)
})

test('a rate-limited address is refused whatever headers it sends', async () => {
  const named = ['10.0.0.1', '127.0.0.1, 10.0.0.2', '::1', 'unknown', '']
  // The bucket fills up by five in a second, so that it is emptied anew for each kind of request.
  for (const payment of [undefined, 'nonsense', 'e30=']) {
    let refused: Response | undefined
    for (let asked = 0; asked < 4 * UNPAID_PER_MINUTE && refused?.status !== 429; asked += 1) {
      const headers = { 'x-forwarded-for': named[asked % named.length] ?? '', 'x-real-ip': `10.1.1.${asked}` }
      refused = await shop.ask(PATH, payment, { headers })
    }
    assert.equal(refused?.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(await refusalOf(refused), 'rate_limited')
  }
})
