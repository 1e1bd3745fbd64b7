import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventStream } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import type { StreamPiece } from '@tollbook/gate/contract/answer'
import { openPayment, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import * as z from 'zod'
import { openToolClient, type ToolClient } from '../paying/tool-client.ts'

/** More than are held until the settlement. */
const PIECES = 20
let pieces = 0
/** Awaited before the last piece. */
let beforeLast: (signal: AbortSignal) => unknown = () => {}
async function* tell(signal: AbortSignal): AsyncGenerator<StreamPiece> {
  for (pieces = 0; pieces < PIECES; pieces += 1) {
    if (pieces === PIECES - 1) await beforeLast(signal)
    yield { bytes: Buffer.from(`data: ${pieces}\n\n`), isContent: true, chargeSoFar: 500n }
  }
}
const story = defineEndpoint({
  id: 'test.story',
  method: 'GET',
  path: '/test/story',
  pricing: { kind: 'metered', priceUsd: '0.02', minimumUsd: '0.001', isExactFirst: false },
  summary: 'A story',
  description: 'Twenty pieces.',
  input: z.object({}),
  output: z.string().meta({ contentMediaType: 'text/event-stream' }),
  example: { input: {}, output: '' },
  limits: { bodyBytes: 0, timeoutMs: 20_000 },
  handle: ({ signal }) => eventStream(tell(signal)),
})

let shop: Shop
let tools: ToolClient
before(async () => {
  shop = await openShop({ endpoints: [story], tools: ['test.story'] })
  tools = await openToolClient(shop.seller.url)
})
after(async () => {
  await tools?.client.close()
  await shop?.close()
})

test('a client that leaves a metered stream before its result is not charged, and gets it by the same payment', async () => {
  const payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  const required = (await tools.call('test_story', {})).structuredContent
  const payment = await signPayment(payer, required as unknown as PaymentRequired, { scheme: 'upto' })
  const leaving = new AbortController()
  const aborted = Promise.withResolvers<void>()
  beforeLast = (signal) => {
    signal.addEventListener('abort', () => aborted.resolve())
    leaving.abort()
    return aborted.promise
  }
  const params = { name: 'test_story', arguments: {}, _meta: { 'x402/payment': openPayment(payment) } }
  const sent = fetch(`${shop.seller.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    signal: leaving.signal,
  })
  await assert.rejects(sent, { name: 'AbortError' })
  await aborted.promise
  beforeLast = () => {}
  const earned = await shop.earnedBy(async () => {
    let again = await tools.call('test_story', {}, payment)
    // Its row is released a moment later.
    while (again.structuredContent?.code === 'payment_in_flight')
      again = await tools.call('test_story', {}, payment)
    assert.ok(!again.isError, again.content[0]?.text)
    assert.match(again.content[0]?.text ?? '', /data: 19/)
    assert.match((await tools.call('test_story', {}, payment)).content[0]?.text ?? '', /data: 19/)
  })
  assert.equal(earned, 1000n)
})
