import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { CENT } from '@tollbook/testing/paying/desk'
import { type Customer, openPayment, openShop, refusalOf, type Shop } from '@tollbook/testing/paying/shop'
import { nonceOf, openProtocol, type ProtocolName, toCredential } from '@tollbook/testing/payments/protocols'
import { toAccess } from '@tollbook/testing/payments/settlement-stage'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { Challenge } from 'mppx'
import { startFacilitator } from '../facilitator/facilitator-stage.ts'
import { forgeSignatures, forgeSignedTerms, lifetimesOutside } from './forge-payments.ts'

const PATH = '/test/good?word=hi'
const REFUSALS = ['payment_invalid', 'payment_malformed', 'payment_expired']

let shop: Shop
let payer: Customer
let offered: PaymentRequired
before(async () => {
  shop = await openShop()
  payer = await shop.newPayer()
  offered = await shop.challenge(PATH)
})
after(() => shop?.close())

const ask = (headers: Record<string, string>, path = PATH) => shop.ask(path, undefined, { headers })

async function ledgerRows(): Promise<number> {
  return (await shop.seller.state.db.selectFrom('paid_call').select('id').execute()).length
}

async function assertRefused(headers: Record<string, string>, name: string, path = PATH): Promise<Response> {
  const [wallet, runs] = [await shop.balanceOf(payer.address), shop.desk.runs]
  const response = await ask(headers, path)
  const code = await refusalOf(response.clone())
  assert.ok(REFUSALS.includes(code), `${name}: ${code}`)
  for (const header of ['payment-response', 'x-payment-response', 'payment-receipt'])
    assert.equal(response.headers.get(header), null, name)
  assert.equal(shop.desk.runs, runs, `${name}: a handler ran`)
  assert.equal(await shop.balanceOf(payer.address), wallet, `${name}: money moved`)
  return response
}

for (const name of ['x402 version 1', 'MPP'] satisfies readonly ProtocolName[]) {
  test(`${name}: forged amounts, payees, tokens, signatures and lifetimes are refused`, async () => {
    const rows = await ledgerRows()
    const protocol = openProtocol(name, await ask({}))
    const forger = { payer, offered, url: shop.seller.url, options: protocol.options }
    const forged = {
      ...(await forgeSignedTerms(forger)),
      ...(await forgeSignatures(forger, await shop.newPayer())),
    }
    for (const [wrong, payment] of Object.entries(forged))
      await assertRefused(protocol.headers(payment), `${name}: ${wrong}`)
    for (const [wrong, lifetime] of Object.entries(lifetimesOutside(offered))) {
      const payment = await signPayment(payer, offered, { ...protocol.options, ...lifetime })
      await assertRefused(protocol.headers(payment), `${name}: ${wrong}`)
    }
    assert.equal(await ledgerRows(), rows)
  })

  test(`${name}: an unreadable payment is refused uncharged`, async () => {
    const protocol = openProtocol(name, await ask({}))
    const [header = '', text = ''] =
      Object.entries(protocol.headers(await signPayment(payer, offered, protocol.options)))[0] ?? []
    const scheme = name === 'MPP' ? 'Payment ' : ''
    const encoding = name === 'MPP' ? 'base64url' : 'base64'
    const json = Buffer.from(text.slice(scheme.length), encoding).toString()
    const encode = (value: string) => scheme + Buffer.from(value).toString(encoding)
    const unreadable: Record<string, string> = {
      empty: scheme,
      garbage: `${scheme}dGhpcyBpcyBnYXJiYWdl`,
      'not base64': `${scheme}%%%`,
      'a list': encode('[]'),
      'an empty object': encode('{}'),
      'cut JSON': encode(json.slice(0, -4)),
      'five thousand lists in each other': encode('['.repeat(5000) + ']'.repeat(5000)),
      'a special name': encode(json.replace('{', '{"__proto__":{"x":1},')),
      'a further member': encode(json.replace('{', '{"discount":"1",')),
      'an amount as a number': encode(json.replace(`"${CENT}"`, `${CENT}`)),
      'no signature': encode(json.replace('"signature"', '"signatures"')),
      'two payments': `${text}, ${text}`,
    }
    for (const [wrong, value] of Object.entries(unreadable)) {
      const response = await assertRefused({ [header]: value }, `${name}: ${wrong}`)
      if (name !== 'MPP') continue
      assert.equal(response.status, 402, wrong)
      assert.ok(Challenge.fromResponse(response).id, `${wrong}: no new challenge`)
    }
  })

  test(`${name}: a payment buys once, and its repetition gets the same answer and settlement`, async () => {
    const protocol = openProtocol(name, await ask({}))
    const headers = protocol.headers(await signPayment(payer, offered, protocol.options))
    const runs = shop.desk.runs
    const taken = await shop.earnedBy(async () => {
      const [first, second] = [await ask(headers), await ask(headers)]
      assert.equal(first.status, 200)
      const settled = name === 'MPP' ? 'payment-receipt' : 'x-payment-response'
      for (const header of [settled, 'tollbook-receipt']) {
        assert.ok(first.headers.get(header), header)
        if (header !== 'payment-receipt') assert.equal(first.headers.get(header), second.headers.get(header))
      }
      assert.equal(await first.text(), await second.text())
    })
    assert.equal(taken, CENT)
    assert.equal(shop.desk.runs, runs + 1)
  })
}

test('MPP: a credential whose challenge is not one of its endpoint is refused', async () => {
  const challenge = Challenge.fromResponse(await ask({}))
  const twin = Challenge.fromResponse(await ask({}, '/test/twin?word=hi'))
  const year = new Date(Date.now() + 31_536_000_000).toISOString()
  const lifetime = { validAfter: 0, validBefore: Math.floor(Date.parse(challenge.expires ?? '') / 1000) }
  const sign = (nonce?: `0x${string}`) =>
    signPayment(payer, offered, { ...lifetime, ...(nonce && { nonce }) })
  const own = await sign(nonceOf(challenge))
  const changed: Record<string, Challenge.Challenge> = {
    'the challenge of an endpoint with the same price': twin,
    'an id of its own': { ...challenge, id: 'A'.repeat(43) },
    'another realm': { ...challenge, realm: 'shop.example' },
    'another method': { ...challenge, method: 'tempo' },
    'another intent': { ...challenge, intent: 'session' },
    'a lower amount': { ...challenge, request: { ...challenge.request, amount: '1' } },
    'a later end': { ...challenge, expires: year },
    'another correlation': { ...challenge, opaque: twin.opaque ?? '' },
    'a separator in a member': { ...challenge, realm: `${challenge.realm}|evm` },
  }
  for (const [name, other] of Object.entries(changed))
    await assertRefused(toCredential(await sign(nonceOf(other)), other), name)
  await assertRefused(toCredential(await sign(), challenge), 'a nonce that is not the hash of the challenge')
  const sources = { source: 'did:pkh:eip155:8453:0x000000000000000000000000000000000000dEaD' }
  await assertRefused(toCredential(own, challenge, sources), 'another source')
  assert.equal((await ask(toCredential(own, challenge))).status, 200)
})

test('MPP is not offered where the price depends on the answer', async () => {
  const path = '/test/meter?word=hi'
  const unpaid = await ask({}, path)
  assert.equal(unpaid.headers.get('www-authenticate'), null)
  const challenge = Challenge.fromResponse(await ask({}))
  const payment = await signPayment(payer, offered, { nonce: nonceOf(challenge) })
  await assertRefused(toCredential(payment, challenge), 'a credential of another endpoint', path)
  await assertRefused(openProtocol('x402 version 1', unpaid).headers(payment), 'version 1', path)
})

test('other credentials in Authorization are ignored', async () => {
  const response = await ask({ authorization: 'Bearer abc' })
  assert.equal(await refusalOf(response), 'payment_required')
})

test('one signature offered through all protocols at once buys once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const unpaid = await ask({})
    const names = ['x402 version 2', 'x402 version 1', 'MPP'] as const
    const payment = await signPayment(payer, offered, openProtocol('MPP', unpaid).options)
    const runs = shop.desk.runs
    const taken = await shop.earnedBy(async () => {
      const sent = [...names, ...names].map((name) => ask(openProtocol(name, unpaid).headers(payment)))
      const statuses = (await Promise.all(sent)).map(({ status }) => status)
      assert.ok(statuses.includes(200))
      assert.ok(
        statuses.every((status) => status === 200 || status === 409),
        `${statuses}`,
      )
    })
    assert.equal(taken, CENT)
    assert.equal(shop.desk.runs, runs + 1)
  }
})

test('one signature offered to the seller in all protocols, and to a facilitator, settles once', async (t) => {
  const { chain, state } = shop.seller
  const facilitator = await startFacilitator({ access: toAccess(chain.rpcUrl), state }, t)
  for (let round = 0; round < 3; round += 1) {
    const unpaid = await ask({})
    const payment = await signPayment(payer, offered, openProtocol('MPP', unpaid).options)
    const paymentPayload = openPayment(payment)
    const body = { x402Version: 2, paymentPayload, paymentRequirements: paymentPayload.accepted }
    const runs = shop.desk.runs
    const held = await shop.balanceOf(payer.address)
    const names = ['x402 version 2', 'x402 version 1', 'MPP'] as const
    const [settled, ...answers] = await Promise.all([
      facilitator.post('/settle', body),
      ...names.map((name) => ask(openProtocol(name, unpaid).headers(payment))),
    ])
    assert.ok(settled.body.success === true || answers.some(({ status }) => status === 200))
    assert.ok(answers.every(({ status }) => status < 500 || status === 503))
    assert.equal(held - (await shop.balanceOf(payer.address)), BigInt(CENT))
    assert.ok(shop.desk.runs <= runs + 1)
    const again = await facilitator.post('/settle', body)
    // Whoever moved the money, the facilitator's success is for one request.
    assert.equal(again.body.success, !settled.body.success)
    assert.equal(held - (await shop.balanceOf(payer.address)), BigInt(CENT))
  }
})

test('a request with payments of two protocols is refused, whatever else they are worth', async () => {
  const unpaid = await ask({})
  const payment = await signPayment(payer, offered, openProtocol('MPP', unpaid).options)
  const headersOf = (name: ProtocolName) => openProtocol(name, unpaid).headers(payment)
  const [second, first, mpp] = [headersOf('x402 version 2'), headersOf('x402 version 1'), headersOf('MPP')]
  for (const headers of [
    { ...second, ...first },
    { ...second, ...mpp },
    { ...first, ...mpp },
  ])
    await assertRefused(headers, 'two payments')
})
