import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { parseUsd } from '@tollbook/chain/usdc'
import { loadMessagesEndpoints } from '@tollbook/inference/messages/mounted-endpoints'
import { type OpenTier, type OpenTiers, openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { createSafeFetch, type SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
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
  type UpstreamAnswer,
} from '@tollbook/testing/models/chat-upstream'
import {
  BASIC_STREAM,
  sendEvents,
  TOOL_STREAM,
  toMessageAnswer,
} from '@tollbook/testing/models/messages-answers'
import { openShop, receiptOf, type Shop } from '@tollbook/testing/paying/shop'

const PRICE = parseUsd('0.01')
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const params = { model: 'any', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hello there' }] }
const DIALECTS = ['chat', 'messages'] as const
type Dialect = (typeof DIALECTS)[number]
const tools = [{ name: 'get_weather', input_schema: { type: 'object' as const } }]
const WEATHER = { location: 'San Francisco, CA', unit: 'fahrenheit' }

let upstream: TestUpstream
let shop: Shop
let anthropic: Anthropic
let unpaid: Anthropic
let responses: Response[] = []
const tiers = new Map<Dialect, OpenTier>()
/** One seller, whose model has a different upstream in each part. */
const ports: { tiers: OpenTiers; fetch: SafeFetch } = {
  tiers: new Map(),
  fetch: createSafeFetch({ allowPrivateNetwork: true }),
}
before(async () => {
  upstream = await startChatUpstream()
  for (const dialect of DIALECTS) {
    // One test waits until a silent model is given up.
    const upstreams = [{ base_url: upstream.url, model: 'upstream-model', dialect, idle_ms: 5_000 }]
    const file = tierFile.parse({ tiers: { messages: { upstreams } } })
    const opened = (await openTiers(file, { userAgent: 'test', health: patientHealth })).get('messages')
    if (opened) tiers.set(dialect, opened)
  }
  shop = await openShop({ endpoints: await loadMessagesEndpoints(), ports })
  const paying = shop.stockClient(await shop.newPayer()).over(fetch)
  const options = { apiKey: 'none', baseURL: shop.seller.url, maxRetries: 0 }
  unpaid = new Anthropic(options)
  anthropic = new Anthropic({
    ...options,
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

/** What an upstream of each dialect answers, in the forms that their references document. */
const ANSWERS: Readonly<
  Record<Dialect, Readonly<Record<'plain' | 'tool' | 'stream' | 'toolStream', UpstreamAnswer>>>
> = {
  chat: {
    plain: sendJson(toCompletion({ content: 'Hello!' })),
    tool: sendJson(
      toCompletion(
        {
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'get_weather', arguments: JSON.stringify(WEATHER) },
            },
          ],
        },
        'tool_calls',
      ),
    ),
    stream: sendPieces([
      ...[
        toChunk({ role: 'assistant', content: '' }),
        toChunk({ content: 'Hello' }),
        toChunk({ content: '!' }),
      ].map(toEvent),
      ...[toChunk({}, 'stop'), toUsageChunk(25, 15)].map(toEvent),
      'data: [DONE]\n\n',
    ]),
    toolStream: sendPieces([
      toEvent(toChunk({ content: 'Okay, let' })),
      ...['', ...(JSON.stringify(WEATHER).match(/.{1,9}/g) ?? [])].map((text, at) =>
        toEvent(
          toChunk({
            tool_calls: [
              {
                index: 0,
                ...(at === 0 && { id: 'call_1', type: 'function' }),
                function: { ...(at === 0 && { name: 'get_weather' }), arguments: text },
              },
            ],
          }),
        ),
      ),
      ...[toChunk({}, 'tool_calls'), toUsageChunk(472, 89)].map(toEvent),
      'data: [DONE]\n\n',
    ]),
  },
  messages: {
    plain: sendJson(toMessageAnswer([{ type: 'text', text: 'Hello!', citations: null }])),
    tool: sendJson(
      toMessageAnswer([{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: WEATHER }], 'tool_use'),
    ),
    stream: sendEvents(BASIC_STREAM),
    toolStream: sendEvents(TOOL_STREAM),
  },
}

for (const dialect of DIALECTS) {
  const sell = (what: string, work: () => Promise<void>) =>
    test(`the official SDK, over an upstream of ${dialect}: ${what}`, () => {
      ports.tiers = new Map([['messages', tiers.get(dialect) ?? assert.fail()]])
      return work()
    })

  sell('a whole answer, with tools, JSON schema and an image', async () => {
    const earned = await shop.earnedBy(async () => {
      upstream.answerWith(ANSWERS[dialect].plain)
      const answer = await anthropic.messages.create(params)
      assert.deepEqual(answer.content, [{ type: 'text', text: 'Hello!', citations: null }])
      assert.deepEqual(
        [answer.stop_reason, answer.usage.input_tokens, answer.usage.output_tokens],
        ['end_turn', 5, 2],
      )
      upstream.answerWith(ANSWERS[dialect].tool)
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG }
      const called = await anthropic.messages.create({
        ...params,
        tools,
        tool_choice: { type: 'any' },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source },
              { type: 'text', text: 'Weather?' },
            ],
          },
        ],
        output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      })
      const [block] = called.content
      assert.ok(block?.type === 'tool_use')
      assert.deepEqual([called.stop_reason, block.name, block.input], ['tool_use', 'get_weather', WEATHER])
    })
    assert.equal(earned, 2n * PRICE)
    assert.ok(responses.every((response) => receiptOf(response)?.success))
    const asked = JSON.stringify(upstream.calls[1]?.body)
    assert.ok(asked.includes(PNG) && asked.includes('json_schema') && asked.includes('get_weather'))
  })

  sell('a stream, put together by the SDK, settled before its first byte', async () => {
    const earned = await shop.earnedBy(async () => {
      upstream.answerWith(ANSWERS[dialect].stream)
      const message = await anthropic.messages.stream(params).finalMessage()
      assert.deepEqual(message.content, [
        { type: 'text', text: 'Hello!', ...(dialect === 'chat' && { citations: null }) },
      ])
      assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [25, 15])
      upstream.answerWith(ANSWERS[dialect].toolStream)
      const called = await anthropic.messages.stream({ ...params, tools }).finalMessage()
      const [text, use] = called.content
      assert.ok(text?.type === 'text' && use?.type === 'tool_use')
      assert.deepEqual([text.text, use.input, called.stop_reason], ['Okay, let', WEATHER, 'tool_use'])
      assert.deepEqual([called.usage.input_tokens, called.usage.output_tokens], [472, 89])
    })
    assert.equal(earned, 2n * PRICE)
    assert.ok(responses.every((response) => receiptOf(response)?.success))
  })

  sell('errors are of their class, and cost nothing', async () => {
    const earned = await shop.earnedBy(async () => {
      await assert.rejects(unpaid.messages.create(params), (error) => {
        assert.ok(error instanceof Anthropic.APIError)
        assert.deepEqual(
          [error.status, error.type, error.constructor.name],
          [402, 'billing_error', 'PaymentRequiredError'],
        )
        assert.match(error.requestID ?? '', /^[0-9a-f-]{36}$/)
        return true
      })
      const wrong = { ...params, container: 'x' }
      await assert.rejects(anthropic.messages.create(wrong), Anthropic.BadRequestError)
      upstream.answerWith(sendJson({ error: { message: 'secret' } }, 400))
      await assert.rejects(anthropic.messages.create(params), Anthropic.UnprocessableEntityError)
      for (const stream of [true, false]) {
        upstream.answerWith(sendJson({ error: { message: 'secret' } }, 500))
        await assert.rejects(anthropic.messages.create({ ...params, stream }), (error) => {
          assert.ok(error instanceof Anthropic.InternalServerError)
          assert.doesNotMatch(error.message, /secret/)
          return true
        })
      }
    })
    assert.equal(earned, 0n)
  })

  sell('a stream that breaks off is one error of the SDK, and was paid', async () => {
    const broken =
      dialect === 'chat'
        ? sendPieces([toEvent(toChunk({ content: 'Hel' }))])
        : sendEvents(BASIC_STREAM.slice(0, 4))
    upstream.answerWith(broken)
    const earned = await shop.earnedBy(async () => {
      let text = ''
      await assert.rejects(async () => {
        for await (const event of await anthropic.messages.create({ ...params, stream: true })) {
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
            text += event.delta.text
        }
      }, /The model broke off/)
      assert.match(text, /^Hel/)
    })
    assert.equal(earned, PRICE)
  })

  sell('the model stops when the caller disconnects; counting tokens is free', async () => {
    const ended = Promise.withResolvers<void>()
    upstream.answerWith(async (call, response) => {
      once(response, 'close').then(() => ended.resolve())
      const begun =
        dialect === 'chat'
          ? sendPieces([toEvent(toChunk({ content: 'Hello' }))], false)
          : sendEvents(BASIC_STREAM.slice(0, 4), false)
      await begun(call, response)
    })
    const stream = await anthropic.messages.create({ ...params, stream: true })
    for await (const event of stream) {
      if (event.type !== 'content_block_delta') continue
      stream.controller.abort()
      break
    }
    await ended.promise
    upstream.answerWith(sendJson({ input_tokens: 14 }))
    const { max_tokens: _, ...counted } = params
    const { input_tokens } = await unpaid.messages.countTokens(counted)
    assert.equal(input_tokens, dialect === 'chat' ? 2 : 14)
  })
}

test('without a model it answers 503 before any payment, in the envelope of the dialect', async () => {
  ports.tiers = new Map()
  await assert.rejects(unpaid.messages.create(params), (error) => {
    assert.ok(error instanceof Anthropic.InternalServerError)
    assert.deepEqual([error.status, error.type], [503, 'overloaded_error'])
    assert.equal(error.headers?.get('payment-required'), null)
    return true
  })
})
