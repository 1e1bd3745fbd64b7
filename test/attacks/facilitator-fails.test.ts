import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { BASE } from '@tollbook/chain/network'
import { createRemoteFacilitator } from '@tollbook/gate/remote/remote-facilitator'
import { CENT } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, receiptOf, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { type Mood, type StockFacilitator, say, startStockFacilitator } from './stock-facilitator.ts'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'

let shop: Shop
let payer: Customer
let facilitator: StockFacilitator
before(async () => {
  shop = await openShop({
    // A timeout behaves the same after half a second as after half a minute.
    limits: { settleMs: 1_500, heartbeatMs: 200, resendAfterMs: 100 },
    facilitator: async (chain, logger) => {
      facilitator = await startStockFacilitator(chain.rpcUrl)
      return createRemoteFacilitator({ url: facilitator.url, network: BASE.id, logger })
    },
  })
  payer = await shop.newPayer()
  await shop.allowPermit2(payer)
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 4_000n })
  Object.assign(facilitator, { verify: undefined, settle: undefined, settlements: 0 })
})
after(async () => {
  await shop?.close()
  await facilitator?.stop()
})

const dies: Mood = (answer) => answer.destroy()
const diesAfterwards: Mood = async (answer, work) => {
  await work()
  answer.destroy()
}
const isSilent: Mood = () => {}
const isSilentAfterwards: Mood = (_, work) => work()

async function costOf(work: () => Promise<unknown>): Promise<bigint> {
  const before = await shop.balanceOf(payer.address)
  await work()
  return before - (await shop.balanceOf(payer.address))
}

async function assertUnknown(response: Response): Promise<void> {
  assert.equal(response.status, 503)
  assert.equal(response.headers.get('x-should-retry'), 'false')
  assert.ok(Number(response.headers.get('retry-after')) > 0)
  assert.equal(receiptOf(response)?.success, false)
  assert.equal(response.headers.get('payment-required'), null)
  assert.equal(await refusalOf(response), 'settlement_unknown')
}

/** Repeats the call with the same payment until the outcome is known. */
async function askUntilKnown(path: string, payment: string): Promise<Response> {
  for (;;) {
    const response = await shop.ask(path, payment)
    if (response.status !== 503 && response.status !== 409) return response
    await wait(50)
  }
}

test('the unmodified facilitator settles the amounts of the gate', async () => {
  for (const [path, price] of [
    [PATH, CENT],
    [METERED, 4_000n],
  ] as const) {
    const cost = await costOf(async () => {
      assert.equal((await shop.ask(path, await shop.sign(payer, path))).status, 200)
    })
    assert.equal(cost, price)
  }
})

for (const [name, settle] of [
  ['that dies after it has settled', diesAfterwards],
  ['that settles and never answers', isSilentAfterwards],
] as const) {
  test(`a facilitator ${name} causes one charge, and one answer for retries`, async () => {
    for (const [path, price] of [
      [PATH, CENT],
      [METERED, 4_000n],
    ] as const) {
      Object.assign(facilitator, { settle, settlements: 0 })
      shop.desk.runs = 0
      const payment = await shop.sign(payer, path)
      const cost = await costOf(async () => {
        await assertUnknown(await shop.ask(path, payment))
        await facilitator.stop()
        await facilitator.start()
        facilitator.settle = undefined
        const answer = await askUntilKnown(path, payment)
        assert.equal(answer.status, 200)
        const receipt = receiptOf(answer)
        assert.equal(receipt?.amount, `${price}`)
        const hash = receipt?.transaction as `0x${string}`
        assert.equal((await shop.chain.getTransactionReceipt({ hash })).status, 'success')
      })
      assert.equal(cost, price)
      assert.equal(shop.desk.runs, 1)
      assert.equal(facilitator.settlements, 1)
    }
  })
}

for (const [name, settle] of [
  ['dies before it sends', dies],
  ['never answers', isSilent],
] as const) {
  test(`after a facilitator that ${name}, the same payment settles once the facilitator is back`, async () => {
    facilitator.settle = settle
    const payment = await shop.sign(payer, PATH)
    const cost = await costOf(async () => {
      await assertUnknown(await shop.ask(PATH, payment))
      await assertUnknown(await shop.ask(PATH, payment))
    })
    assert.equal(cost, 0n)
    await facilitator.stop()
    await facilitator.start()
    facilitator.settle = undefined
    const later = await costOf(async () => {
      assert.equal((await askUntilKnown(PATH, payment)).status, 200)
      assert.equal((await shop.ask(PATH, payment)).status, 200)
    })
    assert.equal(later, CENT)
    assert.equal(shop.desk.runs, 1)
  })
}

test('a facilitator that resumes late and also settles causes one charge', async () => {
  const [late, done] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
  facilitator.settle = async (_, work) => {
    await late.promise
    done.resolve(await work().catch(String))
  }
  const payment = await shop.sign(payer, PATH)
  const cost = await costOf(async () => {
    await assertUnknown(await shop.ask(PATH, payment))
    facilitator.settle = undefined
    assert.equal((await askUntilKnown(PATH, payment)).status, 200)
    late.resolve()
    assert.equal(((await done.promise) as { success?: boolean }).success, false)
    assert.equal((await shop.ask(PATH, payment)).status, 200)
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

test('a settlement without an answer is reconciled and appears in its receipt', async () => {
  facilitator.settle = diesAfterwards
  const response = await shop.ask(PATH, await shop.sign(payer, PATH))
  const { code, receipt } = (await response.json()) as { code: string; receipt: string }
  assert.equal(code, 'settlement_unknown')
  type Receipt = { readonly state: string; readonly amount: string; readonly transaction: string }
  let found: Receipt
  do {
    await wait(100)
    found = (await (await fetch(`${shop.seller.url}/v1/receipts/${receipt}`)).json()) as Receipt
  } while (found.state === 'unknown' || found.state === 'settling')
  assert.equal(found.state, 'settled')
  assert.equal(found.amount, `${CENT}`)
  assert.match(found.transaction, /^0x[0-9a-f]{64}$/)
})

test('a stock client signs once while the outcome is unknown', async () => {
  facilitator.settle = diesAfterwards
  const client = shop.stockClient(payer)
  const cost = await costOf(async () => {
    const response = await client.over(fetch)(`${shop.seller.url}${PATH}`)
    assert.equal(response.status, 503)
  })
  assert.equal(client.signatures(), 1)
  assert.equal(cost, CENT)
})

const page: Mood = (answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
const elsewhere: Mood = (answer) => answer.writeHead(308, { location: `${facilitator.url}/supported` }).end()
const NONSENSE: Record<string, Mood> = {
  'a page': page,
  'a redirect to a page': elsewhere,
  'an empty 200': (answer) => answer.writeHead(200).end(),
  null: (answer) => say(answer, null),
  'an empty object': (answer) => say(answer, {}),
  'yes as a text': (answer) => say(answer, { success: 'true', isValid: 'true' }),
  'yes with 500': (answer) =>
    say(answer, { success: true, isValid: true, transaction: `0x${'1'.repeat(64)}` }, 500),
  'a failure of its own': (answer) => say(answer, { error: 'oops' }, 500),
  'a rate limit': (answer) => {
    const reasons = { invalidReason: 'too_many_requests', errorReason: 'insufficient_funds' }
    say(answer, { success: false, isValid: false, transaction: '', ...reasons }, 429)
  },
  'half an answer': (answer) => {
    answer.writeHead(200, { 'content-length': '1000' }).write('{"success":true,')
    setImmediate(() => answer.destroy())
  },
  'a megabyte': (answer) => say(answer, { success: true, isValid: true, transaction: 'x'.repeat(1_000_000) }),
}

test('after an invalid answer of the facilitator nothing is served and nobody is charged', async () => {
  const yesWithoutHash: Mood = (answer) => say(answer, { success: true, transaction: '' })
  for (const [name, settle] of Object.entries({ ...NONSENSE, 'yes without a hash': yesWithoutHash })) {
    facilitator.settle = settle
    const cost = await costOf(async () => {
      const response = await shop.ask(PATH, await shop.sign(payer, PATH))
      assert.equal(response.status, 503, name)
      await assertUnknown(response)
    })
    assert.equal(cost, 0n, name)
  }
  facilitator.settle = undefined
  shop.desk.runs = 0
  for (const [name, verify] of Object.entries({ ...NONSENSE, silence: dies })) {
    facilitator.verify = verify
    const response = await shop.ask(PATH, await shop.sign(payer, PATH))
    assert.equal(await refusalOf(response), 'unavailable', name)
  }
  assert.equal(shop.desk.runs, 0)
})

test("a rejection by the facilitator is a 402 that does not repeat the facilitator's text", async () => {
  const reason = 'insufficient_funds <script>alert(1)</script> /etc/shadow'
  facilitator.verify = (answer) =>
    say(answer, { isValid: false, invalidReason: reason, invalidMessage: reason })
  const unverified = await shop.ask(PATH, await shop.sign(payer, PATH))
  assert.doesNotMatch(await unverified.clone().text(), /<script|shadow/)
  assert.equal(await refusalOf(unverified), 'payment_insufficient')
  assert.equal(shop.desk.runs, 0)
  facilitator.verify = undefined
  facilitator.settle = (answer) => say(answer, { success: false, errorReason: reason, transaction: '' })
  const cost = await costOf(async () => {
    const unsettled = await shop.ask(PATH, await shop.sign(payer, PATH))
    assert.doesNotMatch(await unsettled.clone().text(), /<script|shadow/)
    assert.equal(await refusalOf(unsettled), 'payment_settlement_failed')
  })
  assert.equal(cost, 0n)
})
