import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import OpenAI from 'openai'
import { loadEndpoints } from '../../src/catalogue/load.ts'
import { openTiers } from '../../src/models/tiers/open-tiers.ts'
import { tierFile } from '../../src/models/tiers/tier-file.ts'
import { parseUsd } from '../../src/money/usdc.ts'
import { gather } from '../gather.ts'
import { inferencePorts } from '../inference/inference-ports.ts'
import { patientHealth } from '../inference/patient-health.ts'
import { sendJson, startChatUpstream, type TestUpstream } from '../models/chat-upstream.ts'
import { BASIC_STREAM, sendEvents, TOOL_STREAM, toMessageAnswer } from '../models/messages-answers.ts'
import { openShop, type Shop } from './shop.ts'

const TIER = 'tier-3'
const PRICE = parseUsd('0.003139')
const PNG = 'data:image/png;base64,iVBORw0KGgo='
const WEATHER = { location: 'San Francisco, CA', unit: 'fahrenheit' }
const model = 'any'
const messages = [{ role: 'user' as const, content: 'hello there' }]
const tools = [
  { type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object' } } },
]

let upstream: TestUpstream
let shop: Shop
let openai: OpenAI
before(async () => {
  upstream = await startChatUpstream()
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model', dialect: 'messages' }]
  const file = tierFile.parse({ tiers: { [TIER]: { upstreams } } })
  const tiers = await openTiers(file, { userAgent: 'test', health: patientHealth })
  const all = await loadEndpoints(new URL('../../src/inference/', import.meta.url))
  const endpoints = all.filter(({ id }) => id.startsWith('chat.'))
  shop = await openShop({ endpoints, ports: inferencePorts({ tiers }) })
  openai = new OpenAI({
    apiKey: 'none',
    baseURL: `${shop.seller.url}/v1/_t/${TIER}`,
    maxRetries: 0,
    fetch: shop.stockClient(await shop.newPayer()).over(fetch),
  })
})
beforeEach(() => upstream.calls.splice(0))
after(async () => {
  await shop.close()
  upstream.close()
})

test('the official OpenAI SDK buys answers of a messages upstream: plain, tools, JSON schema, images', async () => {
  const earned = await shop.earnedBy(async () => {
    upstream.answerWith(sendJson(toMessageAnswer([{ type: 'text', text: 'Hello!' }])))
    const plain = await openai.chat.completions.create({ model, messages })
    assert.deepEqual([plain.choices[0]?.message.content, plain.choices[0]?.finish_reason], ['Hello!', 'stop'])
    const { prompt_tokens, completion_tokens, total_tokens } = plain.usage ?? {}
    assert.deepEqual([prompt_tokens, completion_tokens, total_tokens], [5, 2, 7])
    const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: WEATHER }
    upstream.answerWith(sendJson(toMessageAnswer([use], 'tool_use')))
    const called = await openai.chat.completions.create({
      model,
      tools,
      tool_choice: 'required',
      max_tokens: 64,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: PNG } }] }],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    })
    assert.deepEqual(called.choices[0]?.message.tool_calls, [
      {
        id: 'toolu_1',
        type: 'function',
        function: { name: 'get_weather', arguments: JSON.stringify(WEATHER) },
      },
    ])
  })
  assert.equal(earned, 2n * PRICE)
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  assert.deepEqual(upstream.calls[1]?.body, {
    model: 'upstream-model',
    max_tokens: 64,
    stream: false,
    tool_choice: { type: 'any' },
    messages: [{ role: 'user', content: [{ type: 'image', source }] }],
    tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  })
})

test('the official OpenAI SDK buys streams of a messages upstream, with tool calls and usage', async () => {
  const earned = await shop.earnedBy(async () => {
    for (const [events, text, tokens] of [
      [BASIC_STREAM, 'Hello!', 40],
      [TOOL_STREAM, 'Okay, let', 561],
    ] as const) {
      upstream.answerWith(sendEvents(events))
      const stream = await openai.chat.completions.create({
        model,
        messages,
        tools,
        stream: true,
        stream_options: { include_usage: true },
      })
      const chunks = await gather(stream)
      const deltas = chunks.map(({ choices }) => choices[0]?.delta)
      assert.equal(deltas.map((delta) => delta?.content ?? '').join(''), text)
      assert.equal(chunks.at(-1)?.usage?.total_tokens, tokens)
      if (events !== TOOL_STREAM) continue
      const pieces = deltas.flatMap((delta) => delta?.tool_calls ?? [])
      assert.deepEqual(JSON.parse(pieces.map((piece) => piece.function?.arguments).join('')), WEATHER)
      assert.ok(chunks.some(({ choices }) => choices[0]?.finish_reason === 'tool_calls'))
    }
  })
  assert.equal(earned, 2n * PRICE)
})

test('input that messages cannot express, and an upstream that fails or breaks off early, are not charged', async () => {
  const earned = await shop.earnedBy(async () => {
    await assert.rejects(openai.chat.completions.create({ model, messages, seed: 7 }), (error) => {
      assert.ok(error instanceof OpenAI.BadRequestError)
      assert.equal(error.param, 'seed')
      return true
    })
    for (const stream of [true, false]) {
      upstream.answerWith(sendJson({ type: 'error', error: { message: 'secret' } }, 500))
      await assert.rejects(
        openai.chat.completions.create({ model, messages, stream }),
        OpenAI.InternalServerError,
      )
    }
    upstream.answerWith(sendEvents(BASIC_STREAM.slice(0, 3)))
    await assert.rejects(openai.chat.completions.create({ model, messages, stream: true }), OpenAI.APIError)
  })
  assert.equal(earned, 0n)
})
