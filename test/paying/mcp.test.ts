import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { bytes } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { CENT, createDesk, type Desk } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import { parsePaymentRequired } from '@x402/core/schemas'
import type { SettleResponse } from '@x402/core/types'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { x402Client } from '@x402/fetch'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as z from 'zod'
import { openToolClient, type ToolClient } from './tool-client.ts'

const PIXEL = Buffer.from('89504e470d0a1a0a', 'hex')
const picture = defineEndpoint({
  id: 'test.picture',
  method: 'GET',
  path: '/test/picture',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'A picture',
  description: 'Eight bytes of an image.',
  input: z.object({}),
  output: z.string().meta({ contentMediaType: 'image/png' }),
  example: { input: {}, output: '' },
  limits: { bodyBytes: 0, timeoutMs: 5000 },
  handle: () => bytes(PIXEL, 'image/png'),
})

let shop: Shop
let desk: Desk
let client: ToolClient['client']
let call: ToolClient['call']
let payer: Customer
before(async () => {
  desk = createDesk()
  shop = await openShop({ endpoints: [...desk.endpoints, picture], tools: ['test.good', 'test.flow'] })
  const connected = await openToolClient(shop.seller.url)
  client = connected.client
  call = connected.call
  payer = await shop.newPayer()
  await shop.allowPermit2(payer)
})
after(async () => {
  await client?.close()
  await shop?.close()
})

async function buy(name: string, input: Record<string, unknown>, scheme: 'exact' | 'upto' = 'exact') {
  const required = (await call(name, input)).structuredContent as unknown as PaymentRequired
  const payment = await signPayment(payer, required, { scheme })
  return { payment, result: await call(name, input, payment) }
}

test('at most 25 tools are listed, each with valid schemas and its price', async () => {
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['test_good', 'test_flow', 'find_tool', 'call_tool'],
  )
  assert.match(tools[0]?.description ?? '', /Price: \$0\.01\./)
  const ajv = new Ajv2020({ strict: false })
  for (const { inputSchema, outputSchema } of tools)
    for (const schema of [inputSchema, outputSchema]) if (schema) ajv.compile(schema)
})

test('an unpaid call returns the payment requirements, in both forms, and runs nothing', async () => {
  const { structuredContent, content, isError, _meta } = await call('test_good', { word: 'toll' })
  assert.equal(isError, true)
  assert.equal(_meta, undefined)
  const { data } = parsePaymentRequired(structuredContent)
  assert.equal(data?.x402Version, 2)
  assert.equal(data.accepts[0]?.payTo, devPayTo.utility)
  assert.deepEqual(JSON.parse(content[0]?.text ?? ''), structuredContent)
  assert.match(String(structuredContent?.error), /^Payment required$/)
  const faulty = await call('test_good', { word: 'toll', colour: 'red' })
  assert.match(
    String(faulty.structuredContent?.error),
    /would be refused \(unknown_parameter\): colour is not/,
  )
  assert.equal(desk.runs, 0)
})

test('a paid call is answered and charged once, and the same payment gets the same answer', async () => {
  let payment = ''
  const earned = await shop.earnedBy(async () => {
    const bought = await buy('test_good', { word: 'toll' })
    payment = bought.payment
    const { structuredContent, content, isError, _meta } = bought.result
    assert.ok(!isError)
    assert.deepEqual(structuredContent, { word: 'toll', payer: payer.address.toLowerCase() })
    assert.deepEqual(JSON.parse(content[0]?.text ?? ''), structuredContent)
    const receipt = _meta?.['x402/payment-response']
    assert.equal(receipt?.success, true)
    assert.match(String(receipt.transaction), /^0x[0-9a-f]{64}$/)

    assert.deepEqual(await call('test_good', { word: 'toll' }, payment), bought.result)
    const other = await call('test_good', { word: 'book' }, payment)
    assert.equal(other.isError, true)
    assert.equal(other.structuredContent?.code, 'payer_proof_required')
  })
  assert.equal(earned, CENT)
  assert.equal(desk.runs, 1)
  const overHttp = await shop.ask('/test/good?word=toll', payment)
  assert.deepEqual(await overHttp.json(), { word: 'toll', payer: payer.address.toLowerCase() })
})

test('invalid arguments are refused without a charge, and their payment stays usable', async () => {
  const required = (await call('test_good', { word: 'toll' })).structuredContent
  const payment = await signPayment(payer, required as unknown as PaymentRequired)
  const earned = await shop.earnedBy(async () => {
    const { isError, structuredContent, _meta } = await call('test_good', { word: 7 * 10 ** 20 }, payment)
    assert.equal(isError, true)
    assert.equal(structuredContent?.code, 'invalid_request')
    assert.equal(_meta, undefined)
  })
  assert.equal(earned, 0n)
  assert.ok(!(await call('test_good', { word: 'book' }, payment)).isError)
})

test('a tool that is not listed is found by words and called', async () => {
  const found = await call('find_tool', { query: 'one of MANY' })
  const { tools } = found.structuredContent as { tools: { name: string }[] }
  assert.equal(tools[0]?.name, 'test_item')
  const { result } = await buy('call_tool', { name: 'test_item', arguments: { id: 'a/b' } })
  assert.equal(result.structuredContent?.word, 'a/b')
  const bad = await call('call_tool', { name: 'test_item', arguments: { id: '..' } })
  await call('call_tool', { name: 'test_item', arguments: { id: '\ud800' } })
  assert.equal(bad.structuredContent?.code, 'invalid_request')
  await assert.rejects(call('test_itme', {}), /no tool test_itme; did you mean test_item\?/)
  await assert.rejects(call('call_tool', { name: 'nothing' }), /no tool nothing; find_tool finds one/)
})

test('files go in as base64, images come back as images', async () => {
  const file = `data:text/plain;base64,${Buffer.from('a').toString('base64')}`
  const photo = await buy('call_tool', { name: 'test_photo', arguments: { file } })
  assert.equal(photo.result.structuredContent?.word, 'text/plain')
  const { result } = await buy('call_tool', { name: 'test_picture' })
  assert.deepEqual(result.content, [{ type: 'image', data: PIXEL.toString('base64'), mimeType: 'image/png' }])
})

test('a streamed answer is collected, with its receipt, at both kinds of price', async () => {
  const live = await buy('call_tool', { name: 'test_live', arguments: { word: 'toll' } })
  assert.equal(live.result.content[0]?.text, 'data: toll\n\ndata: book\n\n')
  assert.equal(live.result._meta?.['x402/payment-response']?.amount, String(CENT))
  desk.charge = 3000n
  const earned = await shop.earnedBy(async () => {
    const { result } = await buy('test_flow', { word: 'toll' }, 'upto')
    assert.match(result.content[0]?.text ?? '', /^data: toll\n\n[\s\S]*data: book\n\n/)
    assert.equal(result._meta?.['x402/payment-response']?.amount, '3000')
  })
  assert.equal(earned, 3000n)
})

test('a stream that fails is an error with what came before, and its payment is charged once', async () => {
  let pieces = 0
  desk.during = () => {
    pieces += 1
    if (pieces === 2) throw new Error('the source failed')
  }
  const earned = await shop.earnedBy(async () => {
    const { result, payment } = await buy('call_tool', { name: 'test_live', arguments: { word: 'toll' } })
    desk.during = () => {}
    assert.equal(result.isError, true)
    assert.match(result.content[0]?.text ?? '', /^data: toll/)
    assert.equal(result._meta?.['x402/payment-response']?.success, true)
    const again = await call('call_tool', { name: 'test_live', arguments: { word: 'toll' } }, payment)
    assert.equal(again.content[0]?.text, 'data: toll\n\ndata: book\n\n')
  })
  assert.equal(earned, CENT)
})

test('a call whose client disconnects is not charged, and its payment stays usable', async () => {
  const required = (await call('test_good', { word: 'toll' })).structuredContent
  const payment = await signPayment(payer, required as unknown as PaymentRequired)
  const leaving = new AbortController()
  const aborted = Promise.withResolvers<void>()
  desk.during = async ({ signal }) => {
    signal.addEventListener('abort', () => aborted.resolve())
    leaving.abort()
    await aborted.promise
  }
  const earned = await shop.earnedBy(async () => {
    const _meta = { 'x402/payment': JSON.parse(Buffer.from(payment, 'base64').toString()) }
    const params = { name: 'test_good', arguments: { word: 'toll' }, _meta }
    const accept = 'application/json, text/event-stream'
    const sent = fetch(`${shop.seller.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      signal: leaving.signal,
    })
    await assert.rejects(sent, { name: 'AbortError' })
    await aborted.promise
    desk.during = () => {}
  })
  assert.equal(earned, 0n)
  let again = await call('test_good', { word: 'toll' }, payment)
  // Its row is released a moment later.
  while (again.structuredContent?.code === 'payment_in_flight')
    again = await call('test_good', { word: 'toll' }, payment)
  assert.ok(!again.isError, again.content[0]?.text)
})

test('calls with one Idempotency-Key are charged once, whatever payments they have', async () => {
  const { structuredContent: required } = await call('test_good', { word: 'toll' })
  const keyed = await openToolClient(shop.seller.url, { 'idempotency-key': 'tool-call-0123456789' })
  const buyOnce = async () => {
    const payment = await signPayment(payer, required as unknown as PaymentRequired)
    return keyed.call('test_good', { word: 'toll' }, payment)
  }
  const earned = await shop.earnedBy(async () => assert.deepEqual(await buyOnce(), await buyOnce()))
  assert.equal(earned, CENT)
  await keyed.client.close()
})

test('vouchers of a channel pay for tool calls', async () => {
  const signer = toClientEvmSigner(await shop.newPayer(), shop.chain)
  const scheme = new BatchSettlementEvmScheme(signer, { storage: new InMemoryClientChannelStorage() })
  const buyer = new x402Client().register(BASE.id, scheme)
  for (const nth of [1, 2, 3]) {
    const { structuredContent } = await call('test_good', { word: 'toll' })
    const paymentRequired = structuredContent as unknown as Parameters<typeof buyer.createPaymentPayload>[0]
    const paymentPayload = await buyer.createPaymentPayload(paymentRequired)
    const result = await call('test_good', { word: 'toll' }, encodePaymentSignatureHeader(paymentPayload))
    assert.ok(!result.isError, result.content[0]?.text)
    const settleResponse = result._meta?.['x402/payment-response'] as unknown as SettleResponse
    assert.equal(settleResponse.transaction === '', nth > 1)
    assert.equal(settleResponse.extra?.chargedAmount, String(CENT))
    await buyer.handlePaymentResponse({
      paymentPayload,
      requirements: paymentPayload.accepted,
      settleResponse,
    })
  }
})

test('a refused payment returns the requirements and why', async () => {
  const { payment, result } = await buy('test_good', { word: 'toll' })
  assert.ok(!result.isError)
  const { structuredContent, content, isError } = await call('test_picture', {}, payment)
  assert.equal(isError, true)
  assert.equal(structuredContent?.x402Version, 2)
  assert.equal(structuredContent.error, 'resource_mismatch')
  assert.match(content[1]?.text ?? '', /made for another resource/)
})

test('a client of the 2026-07-28 revision lists, pays and is answered', async () => {
  const modern = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await modern.connect(new ModernTransport(new URL(`${shop.seller.url}/mcp`)))
  assert.equal(modern.getNegotiatedProtocolVersion(), '2026-07-28')
  assert.equal((await modern.listTools()).tools.length, 4)
  const request = { name: 'test_good', arguments: { word: 'toll' } }
  const unpaid = await modern.callTool(request)
  const payment = await signPayment(payer, unpaid.structuredContent as unknown as PaymentRequired)
  const _meta = { 'x402/payment': JSON.parse(Buffer.from(payment, 'base64').toString()) }
  const paid = await modern.callTool({ ...request, _meta })
  assert.equal((paid.structuredContent as { word: string }).word, 'toll')
  await modern.close()
})

test('what is no message of a client is refused', async () => {
  const send = (init: RequestInit) => fetch(`${shop.seller.url}/mcp`, init)
  const post = (body: string, headers: Record<string, string> = {}) =>
    send({ method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  for (const method of ['GET', 'DELETE']) {
    const refused = await send({ method })
    assert.equal(refused.status, 405)
    assert.equal(refused.headers.get('allow'), 'POST, OPTIONS')
  }
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  assert.equal((await post(message, { origin: 'https://attacker.example' })).status, 403)
  assert.equal((await post(message, { origin: 'null' })).status, 403)
  const accept = 'application/json, text/event-stream'
  assert.equal((await post(message, { origin: 'http://localhost:6274', accept })).status, 200)
  for (const [body, code] of [
    [`[${message}]`, -32_600],
    ['{"jsonrpc"', -32_700],
    ['', -32_700],
  ] as const) {
    const refused = await post(body)
    const { id, error } = (await refused.json()) as { id: null; error: { code: number } }
    assert.deepEqual([refused.status, id, error.code], [400, null, code])
  }
  assert.equal((await post(JSON.stringify('a'.repeat(4_194_304)))).status, 413)
})
