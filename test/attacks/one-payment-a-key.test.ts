import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { encodePaymentResponseHeader } from '@x402/core/http'
import { LONE_PRICE, openLoneProxy, openLoneSeller } from '../paying/lone-proxy.ts'

const KEY = { 'idempotency-key': 'order-0123456789abcdef' }
const HASH = `0x${'ab'.repeat(32)}` as const
const RECEIPT = encodePaymentResponseHeader({ success: true, transaction: HASH, network: BASE.id })

const ask = async (url: string, headers: Record<string, string> = KEY) => {
  const response = await fetch(url, { headers })
  return `${response.status} ${await response.text()}`
}

for (const processes of [1, 2])
  test(`ten equal requests at once with one key are one payment with one answer (${processes} logs open)`, async (t) => {
    const answers = new Map<string, number>()
    const seller = await openLoneSeller(t, (response, { headers }) => {
      const payment = `${headers['payment-signature']}`
      answers.set(payment, answers.get(payment) ?? answers.size + 1)
      setImmediate(() =>
        response.setHeader('payment-response', RECEIPT).end(`answer ${answers.get(payment)}`),
      )
    })
    const path = join(temporaryFolder('spending'), 'spending.sqlite')
    const proxies = await Promise.all(
      Array.from({ length: processes }, () => openLoneProxy(t, seller.url, { path })),
    )
    const urls = proxies.flatMap(({ url }) => Array.from({ length: 10 }, () => `${url}/a`))
    const bought = await Promise.all(urls.map((url) => ask(url)))
    assert.deepEqual(new Set(bought), new Set(['200 answer 1']))
    assert.equal(new Set(seller.payments).size, 1)
    assert.deepEqual(proxies[0]?.buyer.totals(), { spent: 0n, open: LONE_PRICE })
    // Another request with this key, or another key, is another payment; without one each call is.
    const url = `${proxies[0]?.url}`
    assert.equal(await ask(`${url}/b`), '200 answer 2')
    assert.equal(await ask(`${url}/a`, { 'idempotency-key': 'order-another-0123456' }), '200 answer 3')
    await Promise.all([ask(`${url}/a`, {}), ask(`${url}/a`, {})])
    assert.equal(new Set(seller.payments).size, 5)
  })

test('a key whose answer was lost with its process is sent with the same payment, by all that wait', async (t) => {
  const arrived = Promise.withResolvers<void>()
  let isLost = true
  const seller = await openLoneSeller(t, (response) => {
    if (!isLost) return void response.end('sold')
    arrived.resolve()
  })
  const path = join(temporaryFolder('spending'), 'spending.sqlite')
  const first = await openLoneProxy(t, seller.url, { path })
  const leaving = new AbortController()
  const lost = fetch(`${first.url}/a`, { headers: KEY, signal: leaving.signal })
  await arrived.promise
  // The first process still waits for its answer when the second one sends the payment, too.
  isLost = false
  const second = await openLoneProxy(t, seller.url, { path })
  assert.equal(await ask(`${second.url}/a`), '200 sold')
  leaving.abort()
  await assert.rejects(lost)
  assert.deepEqual(
    new Set(await Promise.all([1, 2, 3].map(() => ask(`${first.url}/a`)))),
    new Set(['200 sold']),
  )
  assert.equal(new Set(seller.payments).size, 1)
})

test('a request that waits for an equal one can leave, and the others go on', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const seller = await openLoneSeller(t, async (response) => {
    arrived.resolve()
    await held.promise
    response.end('sold')
  })
  const { url } = await openLoneProxy(t, seller.url)
  const first = ask(`${url}/a`)
  await arrived.promise
  const leaving = new AbortController()
  const second = fetch(`${url}/a`, { headers: KEY, signal: leaving.signal })
  const third = ask(`${url}/a`)
  leaving.abort()
  await assert.rejects(second)
  held.resolve()
  assert.deepEqual([await first, await third], ['200 sold', '200 sold'])
  assert.equal(new Set(seller.payments).size, 1)
})

test('a receipt with an invented transaction is called what the seller says until the chain is read', async (t) => {
  const seller = await openLoneSeller(t, (response) =>
    response.setHeader('payment-response', RECEIPT).end('x'),
  )
  const path = join(temporaryFolder('spending'), 'spending.sqlite')
  const spentOf = async (url: string, accept = 'application/json') =>
    await (await fetch(`${url}/spent`, { headers: { accept } })).text()
  const { url } = await openLoneProxy(t, seller.url, { path })
  await ask(`${url}/a`)
  const before = JSON.parse(await spentOf(url))
  assert.deepEqual([before.spent_usd, before.open_usd], ['0', '0.01'])
  const { state, charged_usd, transaction } = before.payments[0]
  assert.deepEqual([state, charged_usd, transaction], ['reported', '0.01', HASH])
  assert.match(await spentOf(url, 'text/html'), /says the seller/)
  // The chain has shown that the payment was never used, and later that another transaction used it.
  for (const [finding, expected] of [
    [{ found: 'expired' }, ['0', '0', 'released', '0', null]],
    [
      { found: 'settled', transaction: `0x${'cd'.repeat(32)}`, amount: LONE_PRICE, isFinal: true },
      ['0.01', '0', 'settled', '0.01', `0x${'cd'.repeat(32)}`],
    ],
  ] as const) {
    const later = await openLoneProxy(t, seller.url, {
      finding,
      ...(finding.found === 'expired' && { path }),
    })
    if (finding.found === 'settled') await ask(`${later.url}/a`)
    const spent = JSON.parse(await spentOf(later.url))
    const [payment] = spent.payments
    assert.deepEqual(
      [spent.spent_usd, spent.open_usd, payment.state, payment.charged_usd, payment.transaction],
      expected,
    )
  }
})
