import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { ProblemError } from '@tollbook/http/problem'
import { CENT, METER } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { newPayer, type Payer, signPayment } from '@tollbook/testing/payments/sign-payment'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'
/** Unpaid requests allowed per address; enough for the tests above the flood. */
const UNPAID_PER_MINUTE = 300

let shop: Shop
before(async () => {
  shop = await openShop({ settings: { TOLLBOOK_UNPAID_PER_MINUTE: `${UNPAID_PER_MINUTE}` } })
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 0n })
})
after(() => shop?.close())

/** Blocks handlers; `reached(n)` resolves when n of them are blocked. */
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

test('the open maxima of one payer are checked against its balance: no further handler runs', async () => {
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

test('many concurrent maxima above the balance: every call that runs is paid, and the balance covers it', async () => {
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

test('the open prices of one payer are checked against its balance too', async () => {
  const payer = await shop.newPayer(CENT)
  const [first, second] = await signMany(payer, PATH, 2)
  const { reached, letOn } = holdHandlers()
  const served = shop.ask(PATH, first)
  await reached(1)
  assert.equal(await refusalOf(await shop.ask(PATH, second)), 'payment_insufficient')
  letOn()
  assert.equal((await served).status, 200)
})

test('the open maxima of one payer are limited by its remaining Permit2 allowance', async () => {
  const payer = await shop.newPayer()
  await shop.callUsdc(payer.key, 'approve', [CONTRACTS.permit2, METER.most])
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

test('allowance permits signed at the same time run no more handlers than may remain unpaid', async () => {
  const payer = await shop.newPayer()
  shop.desk.charge = METER.most
  // Each client signs a permit with the same nonce, and the token accepts only one of them.
  const calls = Array.from({ length: 9 }, () =>
    shop.stockClient(payer).over(fetch)(`${shop.seller.url}${METERED}`),
  )
  const responses = await Promise.all(calls)
  const served = responses.filter(({ status }) => status === 200).length
  assert.ok(served >= 1, (await Promise.all(responses.map((response) => response.text()))).join('\n'))
  assert.ok(shop.desk.runs <= 5, `${shop.desk.runs} handlers ran`)
  assert.equal(await shop.balanceOf(payer.address), 1_000_000n - METER.most * BigInt(served))
})

test('a payer has at most 64 open calls, and other payers are served meanwhile', async () => {
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
    await shop.seller.chain.fundUsdc(payer.address, CENT)
    const response = await shop.ask(PATH, await shop.sign(payer, PATH))
    assert.equal(await refusalOf(response), 'payment_settlement_failed')
  }
  await shop.seller.chain.fundUsdc(payer.address, CENT)
  const response = await shop.ask(PATH, await shop.sign(payer, PATH))
  assert.ok(Number(response.headers.get('retry-after')) >= 600)
  assert.equal(await refusalOf(response), 'rate_limited')
  assert.equal(shop.desk.runs, 5)
  assert.equal(await shop.balanceOf(payer.address), CENT)
  shop.desk.during = () => {}
  assert.equal((await shop.ask(PATH, await shop.sign(other, PATH))).status, 200)
})

test('a payer whose inputs cost an engine its limit five times is refused for a while, uncharged', async () => {
  const [payer, other] = [await shop.newPayer(), await shop.newPayer()]
  shop.desk.during = () => {
    throw new ProblemError({ code: 'cannot_be_served', detail: 'It takes too long.' }, { isStrike: true })
  }
  for (let strike = 1; strike <= 5; strike += 1)
    assert.equal(await refusalOf(await shop.ask(PATH, await shop.sign(payer, PATH))), 'cannot_be_served')
  const response = await shop.ask(PATH, await shop.sign(payer, PATH))
  assert.ok(Number(response.headers.get('retry-after')) >= 600)
  assert.equal(await refusalOf(response), 'rate_limited')
  assert.equal(shop.desk.runs, 5)
  assert.equal(await shop.balanceOf(payer.address), 1_000_000n)
  shop.desk.during = () => {}
  assert.equal((await shop.ask(PATH, await shop.sign(other, PATH))).status, 200)
})

test('the unpaid budget of an address never limits paid calls', async () => {
  const payer = await shop.newPayer()
  const payments = await signMany(payer, PATH, 60)
  for (let at = 0; at < payments.length; at += 20) {
    const responses = await Promise.all(payments.slice(at, at + 20).map((payment) => shop.ask(PATH, payment)))
    assert.ok(responses.every(({ status }) => status === 200))
  }
})

test('payments from empty wallets are limited like unpaid requests, before any I/O', async () => {
  const terms = await shop.challenge(PATH)
  const rows = async () => (await shop.seller.state.db.selectFrom('paid_call').select('id').execute()).length
  const before = await rows()
  const codes: string[] = []
  // The bucket starts full at most and refills by five per second.
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
  // The bucket refills by five per second, so it is drained again for each kind of request.
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
