import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { toWord } from '@tollbook/chain/words'
import { startJsonRpcServer } from '@tollbook/testing/chain/json-rpc-server'
import { GAS_SPONSORING, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader } from '@x402/core/http'
import { readOffer } from './offer.ts'
import { payAndCall } from './pay.ts'

test('an amount that is no whole number of micro-USDC is no offer', () => {
  for (const amount of ['-50000', '0x10', ' 7', '']) {
    const header = encodePaymentRequiredHeader({
      x402Version: 2,
      resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
      accepts: [{ ...uptoTerms('50000'), amount }],
    })
    assert.equal(typeof readOffer(header, { max: 100n }), 'string', amount)
  }
})

test('a payee that is no address is no offer, and what a seller says about its offer is one bounded line', () => {
  const readWith = (payTo: unknown) =>
    readOffer(
      encodePaymentRequiredHeader({
        x402Version: 2,
        resource: {
          url: 'http://127.0.0.1/',
          description: 'choose\u202e yes\n'.repeat(999),
          mimeType: 'text/plain',
        },
        accepts: [{ ...uptoTerms('50'), payTo }] as never,
      }),
      { max: 100n },
    )
  const { payTo } = uptoTerms('50')
  for (const wrong of [`${payTo}\u202e`, `0xREFUND ${payTo}`, payTo.slice(0, -1), 'merchant.eth', null, {}])
    assert.match(String(readWith(wrong)), /does not accept USDC on Base at a valid address/, String(wrong))
  const chosen = readWith(payTo.toLowerCase())
  assert.ok(typeof chosen !== 'string', String(chosen))
  assert.equal(chosen.offer.payTo, payTo)
  assert.equal(chosen.offer.description.length, 500)
  assert.match(chosen.offer.description, /^choose yes choose yes/)
})

test('an offer that is valid for over an hour does not hide another one', () => {
  const terms = uptoTerms('50')
  const readWith = (...lifetimes: number[]) =>
    readOffer(
      encodePaymentRequiredHeader({
        x402Version: 2,
        resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
        accepts: lifetimes.map((maxTimeoutSeconds) => ({ ...terms, maxTimeoutSeconds })),
      }),
      { max: 100n },
    )
  const chosen = readWith(3601, 3600)
  assert.ok(typeof chosen !== 'string', String(chosen))
  assert.equal(chosen.terms.maxTimeoutSeconds, 3600)
  assert.equal(readWith(3601), 'the payment would stay valid for more than 3600 seconds')
})

test('the chain is read for an upto payment, also if the URL of its RPC has a user and password', async (t) => {
  const rpc = await startJsonRpcServer()
  t.after(() => rpc.close())
  // No allowance, and no permit used yet.
  rpc.setAnswer(([request]) => ({ id: request?.id, result: toWord(0) }))
  const required = encodePaymentRequiredHeader({
    x402Version: 2,
    resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
    accepts: [uptoTerms('50000')],
    extensions: GAS_SPONSORING,
  })
  let payment: string | undefined
  const shop = createServer(({ headers }, response) => {
    payment = headers['payment-signature'] as string | undefined
    response.writeHead(payment ? 200 : 402, { 'payment-required': required }).end('{}')
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  t.after(() => shop.close())

  const outcome = await payAndCall({
    request: {
      url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`,
      method: 'GET',
      headers: new Headers(),
    },
    key: DEV_CLIENT_KEYS[0],
    rpcUrl: `http://user:secret@${rpc.host}/`,
    max: 50_000n,
    confirm: async () => true,
    onRetry: () => {},
    signal: new AbortController().signal,
  })
  assert.equal(outcome.kind, 'answered')
  assert.ok(payment)
  // A permit that lets Permit2 move the money is signed only if the chain could be read.
  const { extensions } = decodePaymentSignatureHeader(payment)
  const sponsoring = extensions?.eip2612GasSponsoring as { info?: { signature?: string } } | undefined
  assert.match(sponsoring?.info?.signature ?? '', /^0x[0-9a-f]{130}$/)
  assert.equal(rpc.seen[0]?.authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`)
})
