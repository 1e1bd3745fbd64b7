import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { signPayment } from '@tollbook/testing/payments/sign-payment'

type Json = Record<string, unknown>
type Result = { readonly isError?: boolean; readonly structuredContent?: Json }

let shop: Shop
let payer: Customer
before(async () => {
  shop = await openShop({ tools: ['test.good'] })
  payer = await shop.newPayer()
})
after(() => shop?.close())

/** Sends a message exactly as it is written; the result, or the JSON-RPC error. */
async function send(params: string, headers: Record<string, string> = {}): Promise<Result> {
  const accept = 'application/json, text/event-stream'
  const response = await fetch(`${shop.seller.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  })
  const { result, error } = (await response.json()) as { result?: Result; error?: Json }
  return result ?? { isError: true, structuredContent: error ?? {} }
}

const call = (payment: string, input = '{"word":"toll"}') =>
  send(`{"name":"test_good","arguments":${input},"_meta":{"x402/payment":${payment}}}`)

/** Asserts that nothing runs and nobody is charged. */
async function assertBuysNothing(work: () => Promise<Result>, words: string): Promise<void> {
  const { isError, structuredContent } = await work()
  assert.equal(isError, true, `${words}: ${JSON.stringify(structuredContent)}`)
  assert.equal(shop.desk.runs, 0, words)
}

async function pay(change: (payment: Json) => unknown = (payment) => payment): Promise<string> {
  const required = await shop.challenge('/test/good?word=toll')
  const payment = await signPayment(payer, required as PaymentRequired, { tamper: change })
  return Buffer.from(payment, 'base64').toString()
}

test('no form of a payment but a valid one buys a tool call', async () => {
  const { balanceOf } = shop
  const before = await balanceOf(payer.address)
  const forms: Record<string, string> = {
    'no payment': 'null',
    'a text': '"paid"',
    true: 'true',
    'a list': '[]',
    'an empty object': '{}',
    'only a version': '{"x402Version":2}',
    'a prototype': '{"__proto__":{"x402Version":2}}',
    'a very long one': JSON.stringify({ x402Version: 2, payload: 'a'.repeat(100_000) }),
    'a deep one': `${'{"a":'.repeat(80)}1${'}'.repeat(80)}`,
    'a header': JSON.stringify('eyJ4NDAyVmVyc2lvbiI6Mn0='),
    'a lower amount': await pay((payment) => ({
      ...payment,
      accepted: { ...(payment.accepted as Json), amount: '1' },
    })),
    'another payee': await pay((payment) => ({
      ...payment,
      accepted: { ...(payment.accepted as Json), payTo: payer.address },
    })),
    'another resource': await pay((payment) => ({
      ...payment,
      resource: { url: `${shop.seller.url}/test/twin` },
    })),
    'a forged signature': await pay((payment) => ({
      ...payment,
      payload: { ...(payment.payload as Json), signature: `0x${'11'.repeat(65)}` },
    })),
  }
  for (const [words, form] of Object.entries(forms)) await assertBuysNothing(() => call(form), words)
  assert.equal(await balanceOf(payer.address), before)
})

test('a payment in the headers of a message, or elsewhere in it, is not used', async () => {
  const payment = await pay()
  const header = { 'payment-signature': Buffer.from(payment).toString('base64') }
  const bare = '{"name":"test_good","arguments":{"word":"toll"}}'
  await assertBuysNothing(() => send(bare, header), 'header of the message')
  await assertBuysNothing(() => send(bare, { 'x-payment': 'e30=' }), 'header of version 1')
  const within = `{"name":"test_good","arguments":{"word":"toll","_meta":{"x402/payment":${payment}}}}`
  await assertBuysNothing(() => send(within), 'among the arguments')
})

test('no arguments lead to another endpoint or past the checks of their own', async () => {
  const payment = await pay()
  const inputs = [
    'null',
    '[]',
    '"word=toll"',
    '{"word":"toll","__proto__":{"word":"book"},"other":1}',
    '{"body":{"word":"toll"}}',
    '{"word":["toll","book"]}',
    '{"word":{"toJSON":"toll"}}',
    `{"word":"${'a'.repeat(21)}"}`,
  ]
  for (const input of inputs) await assertBuysNothing(() => call(payment, input), input)
  const paths = ['..', '.', '', '../good', '%2e%2e', '..%2fgood', 'a\\u0000b', 'x?word=toll#']
  for (const id of paths) {
    const params = `{"name":"call_tool","arguments":{"name":"test_item","arguments":{"id":${JSON.stringify(id)}}}}`
    await assertBuysNothing(() => send(params), id)
  }
  for (const name of ['call_tool', 'find_tool', '__proto__', 'constructor', 'toString', ''])
    await assertBuysNothing(() => send(`{"name":"call_tool","arguments":{"name":"${name}"}}`), name)
  assert.ok(!(await call(payment)).isError, 'the payment is still unused')
})
