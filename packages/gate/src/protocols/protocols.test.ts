import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { SELLER } from '@tollbook/testing/payments/gate-world'
import { openProtocol } from '@tollbook/testing/payments/protocols'
import { newPayer, signPayment } from '@tollbook/testing/payments/sign-payment'
import { fc } from '@tollbook/testing/property'
import { Challenge, PaymentRequest, Receipt } from 'mppx'
import type { OfferedRoute } from '../contract/offered-route.ts'
import type { OfferedPayment } from '../payment.ts'
import { findCredentials, settlementHeaders, writeTerms } from './protocols.ts'
import { createRouteOffer } from './route-offer.ts'

const now = new Date('2026-11-21T10:00:00.500Z')
const keyedHash = Object.assign(
  (purpose: string, text: string) => hash('sha3-256', `${purpose}\n${text}`, 'base64url'),
  { begin: () => assert.fail('challenges are short') },
)
const route: OfferedRoute = {
  service: { name: 'utility', title: 'Utilities', baseUrl: 'https://utility.example:8443' },
  endpoint: {
    id: 'contrast',
    description: 'The contrast of two colours.',
    pricing: { kind: 'exact', priceUsd: '0.001' },
    limits: { timeoutMs: 1_000 },
  },
  resourceUrl: 'https://utility.example:8443/api/contrast',
  discovery: {
    answerType: () => 'application/json',
    declarations: () => [{ info: { input: { type: 'http', method: 'GET' } }, schema: { type: 'object' } }],
  },
}
const offer = createRouteOffer(route, { seller: SELLER, keyedHash, signInBytes: 0 })
const termsOf = (requestId: string) => writeTerms(offer, { requestId, now })
const unpaid = new Response(null, { status: 402, headers: termsOf('one').headers })

test('mppx reads our challenge, and writes its request as we do', () => {
  const challenge = Challenge.fromResponse(unpaid)
  const { request, expires, realm, method, intent, opaque } = challenge
  assert.deepEqual({ realm, method, intent }, { realm: 'utility.example', method: 'evm', intent: 'charge' })
  // The endpoint's payments live for 60 seconds, of whole seconds.
  assert.equal(expires, '2026-11-21T10:01:00.000Z')
  assert.deepEqual(request, {
    amount: '1000',
    currency: SELLER.asset,
    methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
    recipient: offer.paymentRequired.accepts[0]?.payTo,
  })
  assert.equal(offer.mpp?.fixed.request, PaymentRequest.serialize(request))
  assert.deepEqual(JSON.parse(Buffer.from(opaque ?? '', 'base64url').toString()), { request: 'one' })
})

test('challenges of one second differ, so that each has a nonce of its own', () => {
  const ids = ['one', 'two'].map((requestId) => {
    const { headers } = termsOf(requestId)
    return Challenge.fromResponse(new Response(null, { status: 402, headers })).id
  })
  assert.notEqual(ids[0], ids[1])
})

test('mppx reads our receipt', () => {
  const transaction = `0x${'ab'.repeat(32)}` as const
  const settlement = { outcome: 'settled', transaction, amount: 1000n, settledAt: now.getTime() } as const
  const [credential] = findCredentials(new Headers({ authorization: 'Payment e30' }))
  assert.ok(credential)
  const payment = {} as OfferedPayment
  const headers = settlementHeaders(credential.protocol, { payment, receiptId: 'r', settlement })
  assert.deepEqual(Object.keys(headers).sort(), ['payment-receipt', 'tollbook-receipt'])
  assert.deepEqual(Receipt.deserialize(headers['payment-receipt'] ?? ''), {
    status: 'success',
    method: 'evm',
    timestamp: now.toISOString(),
    reference: transaction,
  })
})

for (const name of ['x402 version 1', 'MPP'] as const) {
  test(`${name}: a payment with any change decodes to nothing, or to what its signature covers`, async () => {
    const protocol = openProtocol(name, unpaid)
    const payment = await signPayment(newPayer(), offer.paymentRequired, protocol.options)
    const [header = '', text = ''] = Object.entries(protocol.headers(payment))[0] ?? []
    const decode = (value: string) => {
      const [credential] = findCredentials(new Headers({ [header]: value }))
      return credential?.protocol.decode(credential.text, offer)
    }
    const whole = decode(text)
    assert.ok(whole && 'payment' in whole)
    const scheme = name === 'MPP' ? 'Payment ' : ''
    const encoding = name === 'MPP' ? 'base64url' : 'base64'
    const json = Buffer.from(text.slice(scheme.length), encoding).toString()
    const edit = fc.record({
      at: fc.nat(json.length - 1),
      length: fc.nat(40),
      put: fc.oneof(
        fc.string({ maxLength: 12 }),
        fc.constantFrom('"', '{}', '[]', 'null', '1', '0x', '\\u0000'),
      ),
    })
    fc.assert(
      fc.property(edit, ({ at, length, put }) => {
        const changed = json.slice(0, at) + put + json.slice(at + length)
        const decoded = decode(scheme + Buffer.from(changed).toString(encoding))
        assert.ok(decoded)
        if ('problem' in decoded) return
        const { payTo, signedAmount, terms } = decoded.payment
        assert.equal(payTo, terms.payTo.toLowerCase())
        assert.equal(signedAmount, 1000n)
        if (name === 'MPP') assert.equal(decoded.payment.nonce, whole.payment.nonce)
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (value) => {
        const decoded = decode(scheme + Buffer.from(value).toString(encoding))
        assert.ok(decoded && 'problem' in decoded)
      }),
      { numRuns: 500 },
    )
  })
}
