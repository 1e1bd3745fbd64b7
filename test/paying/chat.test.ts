import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, test } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { gather } from '@tollbook/testing/gather'
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
import { type Customer, openShop, receiptOf, type Shop } from '@tollbook/testing/paying/shop'
import OpenAI from 'openai'

const TIER = 'tier-3'
const PRICE = parseUsd('0.003139')
const PATH = `/v1/chat/completions/_t/${TIER}`
const messages = [{ role: 'user' as const, content: 'hello there' }]
const model = 'any'

let upstream: TestUpstream
let shop: Shop
let payer: Customer
let openai: OpenAI
let responses: Response[] = []
before(async () => {
  upstream = await startChatUpstream()
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model', idle_ms: 5_000 }]
  const tiers = await openTiers(tierFile.parse({ tiers: { [TIER]: { upstreams } } }), {
    userAgent: 'test',
    // A model that one test breaks works again for the next.
    health: patientHealth,
  })
  const all = await loadEndpoints(new URL('../../apps/inference/src/', import.meta.url))
  const endpoints = all.filter(({ id }) => id === 'models' || id.startsWith('chat.'))
  shop = await openShop({ endpoints, ports: inferencePorts({ tiers }) })
  payer = await shop.newPayer()
  const { over } = shop.stockClient(payer)
  const paying = over(fetch)
  openai = new OpenAI({
    apiKey: 'none',
    baseURL: `${shop.seller.url}/v1/_t/${TIER}`,
    maxRetries: 0,
    fetch: async (input, init) => {
      const response = await paying(input, init)
      responses.push(response)
      return response
    },
  })
})
beforeEach(() => {
  responses = []
  upstream.calls.splice(0)
})
after(async () => {
  await shop.close()
  upstream.close()
})

test('the official SDK buys a whole answer, with tools and JSON schema', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } }
  upstream.answerWith(sendJson(toCompletion({ content: null, tool_calls: [call] }, 'tool_calls')))
  const earned = await shop.earnedBy(async () => {
    const answer = await openai.chat.completions.create({
      model,
      messages,
      max_tokens: 64,
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    })
    assert.deepEqual(answer.choices[0]?.message.tool_calls, [call])
    assert.equal(answer.usage?.total_tokens, 7)
  })
  assert.equal(earned, PRICE)
  assert.equal(upstream.calls[0]?.body.response_format.json_schema.name, 'a')
})

test('the official SDK buys a stream: settled before its first byte, delivered while it is written', async () => {
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
  const earned = await shop.earnedBy(async () => {
    const stream = await openai.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    })
    const texts: string[] = []
    let tokens: number | undefined
    for await (const chunk of stream) {
      const text = chunk.choices[0]?.delta.content
      if (text) texts.push(text)
      tokens = chunk.usage?.completion_tokens ?? tokens
      assert.equal(chunk.model, TIER)
      // The rest is written only once the first content has reached the caller.
      if (text === 'Hello') rest.resolve()
    }
    assert.deepEqual([texts, tokens], [['Hello', ' you'], 2])
  })
  assert.equal(earned, PRICE)
  const [response] = responses
  assert.ok(response && receiptOf(response)?.success)
})

test('a model that fails before its first content is not charged, and its SDK error is of the right class', async () => {
  const earned = await shop.earnedBy(async () => {
    for (const stream of [true, false]) {
      upstream.answerWith(sendJson({ error: { message: 'secret' } }, 500))
      await assert.rejects(openai.chat.completions.create({ model, messages, stream }), (error) => {
        assert.ok(error instanceof OpenAI.InternalServerError)
        assert.equal(error.status, 502)
        assert.doesNotMatch(error.message, /secret/)
        return true
      })
    }
    upstream.answerWith(sendPieces([toEvent(toChunk({ role: 'assistant' }))]))
    await assert.rejects(openai.chat.completions.create({ model, messages, stream: true }), OpenAI.APIError)
    await assert.rejects(openai.chat.completions.create({ model, messages, n: 2 }), OpenAI.BadRequestError)
  })
  assert.equal(earned, 0n)
})

test('a stream that fails reports its error, and runs once more for the same payment', async () => {
  const body = JSON.stringify({ messages, stream: true })
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const payment = await shop.sign(payer, PATH, { method: 'POST' })
  const earned = await shop.earnedBy(async () => {
    upstream.answerWith(sendPieces([toEvent(toChunk({ content: 'Hel' }))]))
    const cut = await shop.ask(PATH, payment, post)
    assert.equal(cut.status, 200)
    const decoder = new TextDecoder()
    let text = ''
    await assert.rejects(async () => {
      for await (const piece of cut.body ?? []) text += decoder.decode(piece, { stream: true })
    })
    assert.match(text, /"Hel"[\s\S]*"error":\{"message":"The model broke off/)
    upstream.answerWith(
      sendPieces([toEvent(toChunk({ content: 'Hello' })), toEvent(toChunk({}, 'stop')), 'data: [DONE]\n\n']),
    )
    const again = await shop.ask(PATH, payment, post)
    assert.match(await again.text(), /"Hello"[\s\S]*\[DONE\]/)
  })
  assert.equal(earned, PRICE)
})

test('the stream of a caller that disconnected ends when its model is silent for too long', async () => {
  const ended = Promise.withResolvers<void>()
  upstream.answerWith(async (call, response) => {
    once(response, 'close').then(() => ended.resolve())
    await sendPieces([toEvent(toChunk({ content: 'Hello' }))], false)(call, response)
  })
  const stream = await openai.chat.completions.create({ model, messages, stream: true })
  const [first] = await gather(
    (async function* () {
      for await (const chunk of stream) {
        yield chunk
        stream.controller.abort()
        return
      }
    })(),
  )
  assert.equal(first?.choices[0]?.delta.content, 'Hello')
  await ended.promise
})

test('a tier without a model answers 503 before any payment, and the free list reports it', async () => {
  const body = JSON.stringify({ messages })
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const response = await fetch(`${shop.seller.url}/v1/chat/completions/_t/tier-4`, post)
  assert.equal(response.status, 503)
  const { error } = (await response.json()) as { error: { code: string; type: string } }
  assert.deepEqual([error.code, error.type], ['not_configured', 'server_error'])
  const list = new OpenAI({ apiKey: 'none', baseURL: `${shop.seller.url}/v1` })
  const available = (await gather(list.models.list())).filter((one) => 'available' in one && one.available)
  assert.deepEqual(
    available.map(({ id }) => id),
    [TIER, `${TIER}/upto`],
  )
})
