import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { payAndCall } from '@tollbook/pay/pay'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { exactTerms } from '@tollbook/testing/payments/offered-payment'
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader } from '@x402/core/http'

const STALE = 'invalid_batch_settlement_evm_cumulative_amount_mismatch'

let shop: Shop
before(async () => {
  shop = await openShop()
})
after(() => shop?.close())

/** Calls a seller that answers everything with a 402 of these terms. @returns the outcome, and the payments that it got */
async function callSeller(t: TestContext, terms: object, scheme?: 'batch-settlement') {
  const payloads: Record<string, unknown>[] = []
  const server = createServer(({ headers }, response) => {
    const payment = headers['payment-signature'] as string | undefined
    if (payment !== undefined) payloads.push(decodePaymentSignatureHeader(payment).payload)
    const resource = { url: 'http://127.0.0.1/', description: '', mimeType: '' }
    const error = payment === undefined ? '' : STALE
    const required = { x402Version: 2, error, resource, accepts: [terms as never] }
    response.writeHead(402, { 'payment-required': encodePaymentRequiredHeader(required) }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { key } = await shop.newPayer(10_000_000n)
  const outcome = await payAndCall({
    request: { url, method: 'GET', headers: new Headers() },
    key,
    rpcUrl: shop.seller.chain.rpcUrl,
    max: 500_000n,
    ...(scheme && { scheme }),
    confirm: async () => true,
    onRetry: () => {},
    signal: t.signal,
  })
  return { outcome, payloads }
}

test('a payment that a seller could still settle after an hour is not signed', async (t) => {
  const { outcome, payloads } = await callSeller(t, exactTerms('10000', { maxTimeoutSeconds: 315_360_000 }))
  assert.deepEqual(payloads, [])
  assert.deepEqual(outcome, {
    kind: 'no-offer',
    reason: 'the payment would stay valid for more than 3600 seconds',
  })
})

test('a seller that refuses the deposit of a channel gets no second one', async (t) => {
  const { accepts } = await shop.challenge('/test/good?word=hi')
  const terms = accepts.find(({ scheme }) => scheme === 'batch-settlement') ?? assert.fail()
  const { outcome, payloads } = await callSeller(t, terms, 'batch-settlement')
  assert.deepEqual(
    payloads.map(({ type }) => type),
    ['deposit'],
  )
  assert.equal(outcome.kind === 'answered' && outcome.response.status, 402)
})
