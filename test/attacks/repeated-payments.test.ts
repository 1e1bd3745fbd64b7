import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { CENT, METER } from '@tollbook/testing/paying/desk'
import {
  type Customer,
  closePayment,
  openPayment,
  openShop,
  receiptOf,
  refusalOf,
  type Shop,
} from '@tollbook/testing/paying/shop'
import { withIdentifier } from '@tollbook/testing/payments/sign-payment'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'

let shop: Shop
let payer: Customer
before(async () => {
  shop = await openShop()
  payer = await shop.newPayer()
  await shop.allowPermit2(payer)
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 0n })
})
after(() => shop?.close())

/** A barrier at which a handler waits until the test releases it. */
function holdHandlers() {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  shop.desk.during = () => {
    reached.resolve()
    return opened.promise
  }
  return { isReached: reached.promise, letOn: opened.resolve }
}

/** What the payer paid for a piece of work. */
async function costOf(work: () => Promise<unknown>): Promise<bigint> {
  const before = await shop.balanceOf(payer.address)
  await work()
  return before - (await shop.balanceOf(payer.address))
}

async function askTimes(times: number, path: string, payment: string): Promise<Response[]> {
  return Promise.all(Array.from({ length: times }, () => shop.ask(path, payment)))
}

test('copies of a payment in flight get 409; one handler runs, one cent is charged', async () => {
  const payment = await shop.sign(payer, PATH)
  const { isReached, letOn } = holdHandlers()
  const cost = await costOf(async () => {
    const first = shop.ask(PATH, payment)
    await isReached
    for (const copy of await askTimes(11, PATH, payment)) {
      assert.equal(copy.headers.get('retry-after'), '1')
      assert.equal(await refusalOf(copy), 'payment_in_flight')
    }
    letOn()
    assert.equal((await first).status, 200)
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

test('copies that race from the first byte get one answer or a 409', async () => {
  const payment = await shop.sign(payer, PATH)
  const cost = await costOf(async () => {
    const responses = await askTimes(16, PATH, payment)
    const answers = new Set<string>()
    for (const response of responses) {
      if (response.status === 200)
        answers.add(`${await response.text()} ${response.headers.get('payment-response')}`)
      else assert.equal(await refusalOf(response), 'payment_in_flight')
    }
    assert.equal(answers.size, 1)
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

test('a payment sent again gets the same bytes and the same receipt, and is not charged again', async () => {
  const payment = await shop.sign(payer, PATH)
  const first = await shop.ask(PATH, payment)
  const [text, receipt] = [await first.text(), first.headers.get('payment-response')]
  const cost = await costOf(async () => {
    for (let asked = 0; asked < 3; asked += 1) {
      const again = await shop.ask(PATH, payment)
      assert.equal(await again.text(), text)
      assert.equal(again.headers.get('payment-response'), receipt)
    }
  })
  assert.equal(cost, 0n)
  assert.equal(shop.desk.runs, 1)
})

test('the case of letters in addresses and nonces does not make a second payment', async () => {
  const payment = await shop.sign(payer, PATH)
  const shout = (text: string) => `0x${text.slice(2).toUpperCase()}`
  const { authorization, signature } = openPayment(payment).payload
  const louder = {
    signature: shout(signature),
    authorization: {
      ...authorization,
      from: shout(authorization.from),
      to: shout(authorization.to),
      nonce: shout(authorization.nonce),
    },
  }
  const cost = await costOf(async () => {
    assert.equal((await shop.ask(PATH, payment)).status, 200)
    const again = await shop.ask(PATH, closePayment({ ...openPayment(payment), payload: louder }))
    assert.equal(again.status, 200)
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

test('an upto payment whose handler meters nothing costs the minimum, and buys one call', async () => {
  const payment = await shop.sign(payer, METERED)
  const cost = await costOf(async () => {
    for (let asked = 0; asked < 4; asked += 1) {
      const response = await shop.ask(METERED, payment)
      assert.equal(response.status, 200)
      assert.equal(receiptOf(response)?.amount, `${METER.least}`)
    }
  })
  assert.equal(cost, METER.least)
  assert.equal(shop.desk.runs, 1)
})

test('an upto payment that settled buys one call only', async () => {
  shop.desk.charge = 7_000n
  const payment = await shop.sign(payer, METERED)
  const cost = await costOf(async () => {
    await askTimes(6, METERED, payment)
    shop.desk.charge = METER.least
    const again = await shop.ask(METERED, payment)
    assert.equal(receiptOf(again)?.amount, '7000')
    assert.equal(await refusalOf(await shop.ask('/test/meter?word=ho', payment)), 'payer_proof_required')
  })
  assert.equal(cost, 7_000n)
  assert.equal(shop.desk.runs, 1)
})

test('a charge above the signed maximum is never taken', async () => {
  shop.desk.charge = METER.most * 50n
  const payment = await shop.sign(payer, METERED)
  assert.equal(await costOf(() => shop.ask(METERED, payment)), METER.most)
})

for (const [path, scheme] of [
  [PATH, 'exact'],
  [METERED, 'upto'],
] as const) {
  test(`after an error of the handler an ${scheme} payment may be tried three times in all, without a charge`, async () => {
    const refusals = [
      new ProblemError({ code: 'cannot_be_served', detail: 'No such word.' }),
      new ProblemError({ code: 'upstream_failed', detail: 'Nobody is there.' }),
      new Error('broken by the test'),
    ]
    shop.desk.during = () => {
      throw refusals[shop.desk.runs - 1]
    }
    const payment = await shop.sign(payer, path)
    const codes: string[] = []
    const cost = await costOf(async () => {
      for (let asked = 0; asked < 6; asked += 1) codes.push(await refusalOf(await shop.ask(path, payment)))
    })
    const spent = ['payment_spent', 'payment_spent', 'payment_spent']
    assert.deepEqual(codes, ['cannot_be_served', 'upstream_failed', 'internal', ...spent])
    assert.equal(cost, 0n)
    assert.equal(shop.desk.runs, 3)
  })
}

test('a payment that bought nothing may buy something else, once', async () => {
  shop.desk.during = () => {
    if (shop.desk.runs === 1) throw new ProblemError({ code: 'not_found', detail: 'No such word.' })
  }
  const payment = await shop.sign(payer, PATH)
  const cost = await costOf(async () => {
    assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'not_found')
    assert.equal((await shop.ask('/test/good?word=ho', payment)).status, 200)
    assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'payer_proof_required')
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 2)
})

test('one payment buys one of several things at the same price, however it is labelled', async () => {
  const payment = openPayment(await shop.sign(payer, PATH))
  const labelled = (path: string) =>
    closePayment({ ...payment, resource: { ...payment.resource, url: `${shop.seller.url}${path}` } })
  const unlabelled = closePayment({ ...payment, resource: undefined })
  const paths = ['/test/twin?word=hi', '/test/diary?word=hi', '/test/items/hi', '/test/good?word=ho']
  const { isReached, letOn } = holdHandlers()
  const cost = await costOf(async () => {
    const first = shop.ask(PATH, labelled('/test/good'))
    await isReached
    for (const path of paths) {
      const bare = path.split('?')[0] ?? ''
      assert.equal(await refusalOf(await shop.ask(path, labelled(bare))), 'payment_reused', path)
    }
    letOn()
    assert.equal((await first).status, 200)
    for (const path of paths) {
      assert.equal(await refusalOf(await shop.ask(path, unlabelled)), 'payer_proof_required', path)
      const mislabelled = await shop.ask(path, labelled('/test/elsewhere'))
      assert.equal(await refusalOf(mislabelled), 'payment_invalid', path)
    }
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

test('a payment for a file buys no reading of the same bytes as another type', async () => {
  const payment = await shop.sign(payer, '/test/photos', { method: 'POST' })
  const send = (name: string) => {
    const body = new FormData()
    body.append('file', new File(['a'], name))
    return shop.ask('/test/photos', payment, { method: 'POST', body })
  }
  const cost = await costOf(async () => {
    // The second name makes no difference to the answer.
    for (const name of ['a.md', 'b.MD'])
      assert.equal(((await (await send(name)).json()) as { word: string }).word, 'text/markdown', name)
    assert.equal(await refusalOf(await send('a.csv')), 'payer_proof_required')
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

/** Before, during and after the settlement of another request with the same payment. */
const LOST_RACE = ['payment_reused', 'payment_in_flight', 'payer_proof_required']

test('a payment raced over several things at the same price buys one of them', async () => {
  const payment = closePayment({ ...openPayment(await shop.sign(payer, PATH)), resource: undefined })
  const paths = ['/test/good?word=1', '/test/good?word=2', '/test/twin?word=1', '/test/diary?word=1']
  const cost = await costOf(async () => {
    const responses = await Promise.all([...paths, ...paths].map((path) => shop.ask(path, payment)))
    const served = new Set<string>()
    for (const response of responses) {
      if (response.status === 200) served.add(response.url)
      else assert.ok(LOST_RACE.includes(await refusalOf(response)))
    }
    assert.equal(served.size, 1)
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

test('an authorization signed again with the same nonce is not a second payment', async () => {
  const nonce = `0x${'5e'.repeat(32)}` as const
  const now = Math.floor(Date.now() / 1000)
  const [one, other] = await Promise.all([
    shop.sign(payer, PATH, { nonce, validBefore: now + 50 }),
    shop.sign(payer, PATH, { nonce, validBefore: now + 55 }),
  ])
  const cost = await costOf(async () => {
    const responses = await Promise.all([one, other, one, other].map((payment) => shop.ask(PATH, payment)))
    for (const { status } of responses) assert.ok(status === 200 || status === 409)
    assert.equal((await shop.ask(PATH, other)).status, 200)
    assert.equal(await refusalOf(await shop.ask('/test/twin?word=hi', other)), 'payment_invalid')
  })
  assert.equal(cost, CENT)
  assert.equal(shop.desk.runs, 1)
})

test("another wallet's payment-identifier returns nothing", async () => {
  const identifier = 'identifier-of-the-payer'
  const stranger = await shop.newPayer()
  const own = await shop.sign(payer, '/test/diary?word=hi', { identifier })
  assert.equal((await shop.ask('/test/diary?word=hi', own)).status, 200)
  const before = await shop.balanceOf(stranger.address)
  const theirs = await shop.ask(
    '/test/diary?word=hi',
    await shop.sign(stranger, '/test/diary?word=hi', { identifier }),
  )
  assert.deepEqual(await theirs.json(), { word: 'hi', payer: stranger.address.toLowerCase() })
  assert.equal(before - (await shop.balanceOf(stranger.address)), CENT)
  assert.equal(shop.desk.runs, 2)
})

test('an identifier that the first request lacked proves nothing later', async () => {
  const path = '/test/diary?word=hi'
  const payment = openPayment(await shop.sign(payer, path))
  assert.equal((await shop.ask(path, closePayment(payment))).status, 200)
  const added = withIdentifier(await shop.challenge(path), 'added-afterwards-0001')
  const response = await shop.ask(path, closePayment({ ...payment, extensions: added }))
  assert.equal(await refusalOf(response), 'payer_proof_required')
  assert.equal(shop.desk.runs, 1)
})
