import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { parseUsd } from '@tollbook/chain/usdc'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { loadMessagesEndpoints } from '@tollbook/inference/messages/mounted-endpoints'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import {
  sendJson,
  sendPieces,
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toCompletion,
  toEvent,
  toUsageChunk,
} from '@tollbook/testing/models/chat-upstream'
import { CENT, createDesk } from '@tollbook/testing/paying/desk'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import OpenAI from 'openai'
import { type OpenProxy, openProxy } from './open-proxy.ts'

const TIER_PRICE = parseUsd('0.003139')
const MESSAGES_PRICE = parseUsd('0.01')
const GOOD = '/test/good?word=toll'
const CAPS = { input_tokens: 400, output_tokens: 600 }
const messages = [{ role: 'user' as const, content: 'hello there' }]

const desk = createDesk()
let upstream: TestUpstream
let shop: Shop
/** Proxies and servers of the tests, closed in reverse order. */
const opened: { close(): unknown }[] = []
before(async () => {
  upstream = await startChatUpstream()
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model', idle_ms: 60_000 }]
  const tiers = await openTiers(
    tierFile.parse({
      tiers: {
        'tier-3': { upstreams, upto: { rates: { input: '1', cached: '1', output: '4' }, ...CAPS } },
        messages: { upstreams },
      },
    }),
    { userAgent: 'test', health: patientHealth },
  )
  const inference = await loadEndpoints(new URL('../../apps/inference/src/', import.meta.url))
  const endpoints = [
    ...desk.endpoints,
    ...inference.filter(({ id }) => id === 'models' || id.startsWith('chat.')),
    ...(await loadMessagesEndpoints()),
  ]
  shop = await openShop({
    endpoints,
    ports: inferencePorts({ tiers }),
  })
})
after(async () => {
  for (const { close } of opened.reverse()) await close()
  await shop?.close()
  upstream.close()
})

async function startProxy(options?: Parameters<typeof openProxy>[1]): Promise<OpenProxy> {
  const proxy = await openProxy(shop, options)
  opened.push(proxy)
  return proxy
}

const spentOf = async (proxy: OpenProxy) =>
  (await (await fetch(`${proxy.url}/spent`)).json()) as {
    spent_usd: string
    open_usd: string
    left_usd: string
    payments: { url: string; state: string; charged_usd: string | null; transaction: string | null }[]
  }

test('twenty parallel calls spend a budget of five to the last cent, and the rest is refused unpaid', async () => {
  const proxy = await startProxy({ budget: '0.05' })
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const response = await fetch(`${proxy.url}/test/good?word=w${at}`)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }),
  )
  const refused = answers.filter(({ status }) => status === 402)
  assert.deepEqual([answers.filter(({ status }) => status === 200).length, refused.length], [5, 15])
  for (const { body } of refused) {
    assert.match(String(body.detail), /The budget of \$0\.05 does not cover \$0\.01/)
    assert.equal(body.reason, 'budget')
  }
  assert.equal(await proxy.spentOnChain(), 5n * CENT)
  const spent = await spentOf(proxy)
  assert.deepEqual([spent.spent_usd, spent.open_usd, spent.left_usd], ['0.05', '0', '0'])
  assert.equal(new Set(spent.payments.map(({ transaction }) => transaction)).has(null), false)
  assert.ok(spent.payments.every(({ url }) => url === `${shop.seller.url}/test/good`))
})

test('the openai and Anthropic packages stream through the proxy while the model writes', async () => {
  const proxy = await startProxy()
  const rest = Promise.withResolvers<void>()
  upstream.answerWith(async (call, response) => {
    await sendPieces(
      [toEvent(toChunk({ role: 'assistant', content: '' })), toEvent(toChunk({ content: 'Hello' }))],
      false,
    )(call, response)
    await rest.promise
    const end = [toChunk({ content: ' you' }), toChunk({}, 'stop'), toUsageChunk(3, 2)].map(toEvent)
    for (const event of [...end, 'data: [DONE]\n\n']) response.write(event)
    response.end()
  })
  const openai = new OpenAI({ apiKey: 'sk-mine', baseURL: `${proxy.url}/v1/_t/tier-3`, maxRetries: 0 })
  const stream = await openai.chat.completions.create({ model: 'any', messages, stream: true })
  const texts: string[] = []
  for await (const chunk of stream) {
    const text = chunk.choices[0]?.delta.content
    if (text) texts.push(text)
    // The rest is written only once the first content has reached the caller.
    if (text === 'Hello') rest.resolve()
  }
  assert.deepEqual(texts, ['Hello', ' you'])
  assert.equal(await proxy.spentOnChain(), TIER_PRICE)

  const anthropic = new Anthropic({ apiKey: 'sk-mine', baseURL: proxy.url, maxRetries: 0 })
  const { content } = await anthropic.messages
    .stream({ model: 'any', max_tokens: 64, messages })
    .finalMessage()
  assert.match(JSON.stringify(content), /"text":"Hello you"/)
  assert.equal(await proxy.spentOnChain(), TIER_PRICE + MESSAGES_PRICE)
})

test('a metered call counts with its maximum until the chain shows its charge', async () => {
  const proxy = await startProxy()
  await shop.allowPermit2(proxy.payer)
  upstream.answerWith(sendJson(toCompletion({ content: 'HELLO' })))
  const openai = new OpenAI({ apiKey: 'x', baseURL: `${proxy.url}/v1/_t/tier-3/upto`, maxRetries: 0 })
  await openai.chat.completions.create({ model: 'any', messages })
  const onChain = await proxy.spentOnChain()
  assert.equal(onChain, parseUsd('0.001'))
  await proxy.buyer.reconcile()
  assert.deepEqual(proxy.buyer.totals(), { spent: onChain, open: 0n })
})

test('a call above the maximum is not paid, and the error is one of the SDK that called', async () => {
  const proxy = await startProxy({ max: '0.002' })
  const options = { apiKey: 'x', maxRetries: 0 }
  const openai = new OpenAI({ ...options, baseURL: `${proxy.url}/v1/_t/tier-3` })
  await assert.rejects(openai.chat.completions.create({ model: 'any', messages }), (error) => {
    assert.ok(error instanceof OpenAI.APIError)
    assert.deepEqual([error.status, error.code, error.type], [402, 'payment_required', 'payment_required'])
    assert.match(error.message, /\$0\.003139 is above --max/)
    return true
  })
  const anthropic = new Anthropic({ ...options, baseURL: proxy.url })
  await assert.rejects(anthropic.messages.create({ model: 'any', max_tokens: 64, messages }), (error) => {
    assert.ok(error instanceof Anthropic.APIError)
    assert.equal(error.status, 402)
    assert.match(error.message, /billing_error.*\$0\.01 is above --max/)
    return true
  })
  const plain = await fetch(`${proxy.url}${GOOD}`)
  assert.match(plain.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const invalid = await fetch(`${proxy.url}/test/good`)
  assert.deepEqual(
    [invalid.status, ((await invalid.json()) as { code: string }).code],
    [400, 'invalid_request'],
  )
  assert.equal(await proxy.spentOnChain(), 0n)
})

test('a request that the 402 refuses already is not paid; it gets the status and form of the refusal', async () => {
  const proxy = await startProxy()
  const long = await fetch(`${proxy.url}/test/photos`, { method: 'POST', body: 'x'.repeat(70_000) })
  const { code } = (await long.json()) as { code: string }
  assert.deepEqual([long.status, code], [413, 'too_large'])
  const openai = new OpenAI({ apiKey: 'x', maxRetries: 0, baseURL: `${proxy.url}/v1/_t/tier-3` })
  const wrong = openai.chat.completions.create({ model: 'any', messages, temperature: 'hot' as never })
  await assert.rejects(wrong, (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError)
    assert.deepEqual([error.code, error.param], ['invalid_request', 'temperature'])
    return true
  })
  assert.deepEqual(proxy.buyer.list(9), [])
  assert.equal(await proxy.spentOnChain(), 0n)
})

/** Sends a request and disconnects as soon as the payment has reached the seller. */
async function loseAnswer(url: string, init: RequestInit, arrived: Promise<void>): Promise<void> {
  const leaving = new AbortController()
  const lost = fetch(url, { ...init, signal: leaving.signal })
  await arrived
  leaving.abort()
  await assert.rejects(lost)
}

test('a request whose answer was lost is sent with the same payment, also as a form with a new boundary', async () => {
  const proxy = await startProxy()
  const form = () => {
    const body = new FormData()
    body.set('file', new File(['tall'], 'a.txt'))
    return { method: 'POST', body }
  }
  for (const [path, init] of [
    ['/test/good?word=lost', () => ({})],
    ['/test/photos', form],
  ] as const) {
    const before = await proxy.spentOnChain()
    const arrived = Promise.withResolvers<void>()
    const runs = desk.runs
    desk.during = () => arrived.resolve()
    await loseAnswer(`${proxy.url}${path}`, init(), arrived.promise)
    desk.during = () => {}
    const again = await fetch(`${proxy.url}${path}`, init())
    assert.equal(again.status, 200)
    await again.arrayBuffer()
    assert.equal((await proxy.spentOnChain()) - before, CENT)
    assert.ok(desk.runs > runs)
    // Once answered, the same request is a new call.
    await (await fetch(`${proxy.url}${path}`, init())).arrayBuffer()
    assert.equal((await proxy.spentOnChain()) - before, 2n * CENT)
  }
  const paid = (await spentOf(proxy)).payments
  assert.deepEqual([paid.length, paid.every(({ state }) => state === 'settled')], [4, true])
})

test('with an Idempotency-Key a request is paid once, however often it is repeated', async () => {
  const proxy = await startProxy()
  const headers = { 'idempotency-key': 'order-0123456789abcdef' }
  for (let calls = 0; calls < 3; calls += 1) {
    const response = await fetch(`${proxy.url}${GOOD}`, { headers })
    assert.equal(response.status, 200)
    await response.arrayBuffer()
  }
  assert.equal(await proxy.spentOnChain(), CENT)
  assert.deepEqual(proxy.buyer.totals(), { spent: CENT, open: 0n })
})

// Moves the chain's clock, after which no other call can be paid: it stays the last.
test('a payment for which nothing was delivered makes room again once it can no longer be settled', async () => {
  const proxy = await startProxy({ budget: '0.01' })
  desk.during = () => {
    throw new Error('broken')
  }
  const failed = await fetch(`${proxy.url}/test/good?word=broken`)
  assert.equal(failed.status, 500)
  desk.during = () => {}
  assert.deepEqual(proxy.buyer.totals(), { spent: 0n, open: CENT })
  // Another call might be settled, too; the same one may use the same payment.
  assert.equal((await fetch(`${proxy.url}${GOOD}`)).status, 402)
  await shop.seller.chain.skipTime(600)
  await proxy.buyer.reconcile()
  assert.deepEqual(proxy.buyer.totals(), { spent: 0n, open: 0n })
  assert.equal((await spentOf(proxy)).payments[0]?.state, 'released')
  assert.equal(await proxy.spentOnChain(), 0n)
})
