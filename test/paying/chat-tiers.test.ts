import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import { createInferenceService } from '@tollbook/inference/service'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { TIERS as ALL } from '@tollbook/models/tiers/tier-table'
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

/** Specification 4.5: tier and price of a call. */
const PRICES: readonly (readonly [tier: number, priceUsd: string])[] = [
  [1, '0.002'] as const,
  [2, '0.002237'] as const,
  [3, '0.003139'] as const,
  [4, '0.005214'] as const,
  [5, '0.005783'] as const,
  [6, '0.007016'] as const,
  [7, '0.007016'] as const,
  [8, '0.007157'] as const,
  [9, '0.010497'] as const,
  [10, '0.011974'] as const,
  [11, '0.013259'] as const,
  [12, '0.01385'] as const,
  [13, '0.016673'] as const,
  [14, '0.023386'] as const,
  [15, '0.037526'] as const,
]
const messages = [{ role: 'user' as const, content: 'hello there' }]
const model = 'any'
/** 1 x 1 PNG. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let upstream: TestUpstream
let shop: Shop
let payer: Customer
let paying: typeof fetch
before(async () => {
  upstream = await startChatUpstream()
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const names = ['default', ...ALL.map(({ name }) => name)]
  const tiers = await openTiers(
    tierFile.parse({
      tiers: Object.fromEntries(
        names.map((name) => [name, { upstreams, ...(name === 'tier-1' && { aliases: ['fast'] }) }]),
      ),
    }),
    // A tier that one test breaks works again for the next; a pause after one call blocks no other.
    { userAgent: 'test', health: { ...patientHealth, maxPauseMs: 0 } },
  )
  const ports = inferencePorts({ tiers })
  const { endpoints } = await createInferenceService({ baseUrl: 'http://127.0.0.1', ports })
  const chats = endpoints.filter(({ id }) => id === 'models' || id.startsWith('chat.'))
  shop = await openShop({ endpoints: chats, ports })
  payer = await shop.newPayer(10_000_000n)
  paying = shop.stockClient(payer).over(fetch)
})
after(async () => {
  await shop.close()
  upstream.close()
})

/** The official SDK, which appends `/chat/completions` to the path itself. */
function open(path: string, more: Partial<ConstructorParameters<typeof OpenAI>[0]> = {}) {
  return new OpenAI({
    apiKey: 'none',
    baseURL: `${shop.seller.url}${path}`,
    maxRetries: 0,
    fetch: paying,
    ...more,
  })
}
const tier = () => open('/v1/_t/tier-1')

test('the official SDK buys each tier below its base URL, whole and streamed, at its price', async () => {
  const paths = [
    ['/v1', '0.002856', 'default'],
    ...PRICES.map(([at, price]) => [`/v1/_t/tier-${at}`, price, `tier-${at}`]),
  ]
  let sum = 0n
  const earned = await shop.earnedBy(() =>
    Promise.all(
      paths.flatMap(([path = '', price = '', name]) => {
        sum += 2n * parseUsd(price as `${number}`)
        const { completions } = open(path).chat
        return [
          completions.create({ model, messages }).then((answer) => {
            assert.deepEqual([answer.choices[0]?.message.content, answer.model], ['HELLO THERE', name])
          }),
          completions.create({ model, messages, stream: true }).then(async (stream) => {
            const chunks = await gather(stream)
            const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
            assert.deepEqual([text, chunks[0]?.model], ['HELLO THERE', name])
          }),
        ]
      }),
    ),
  )
  assert.equal(earned, sum)
})

test("each tier is sold under the path of the specification and under the operator's name", async () => {
  const paths = [...PRICES.map(([at, price]) => [`tier-${at}`, price]), ['fast', '0.002']]
  let sum = 0n
  const earned = await shop.earnedBy(() =>
    Promise.all(
      paths.map(async ([name, price]) => {
        sum += parseUsd(price as `${number}`)
        const response = await paying(`${shop.seller.url}/v1/chat/completions/_t/${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: name, messages }),
        })
        const answer = (await response.json()) as OpenAI.ChatCompletion
        assert.deepEqual([response.status, answer.model], [200, name])
        assert.ok(receiptOf(response)?.success)
      }),
    ),
  )
  assert.equal(earned, sum)
})

test('two concurrent tool calls are delivered whole, and as interleaved deltas', async () => {
  const tools = ['one', 'two'].map((name) => ({ type: 'function' as const, function: { name } }))
  const call = (id: string, name: string, text: string) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: text },
  })
  const calls = [call('a', 'one', '{}'), call('b', 'two', '{"x":1}')]
  upstream.answerWith(sendJson(toCompletion({ content: null, tool_calls: calls }, 'tool_calls')))
  const asked = { model, messages, tools, tool_choice: 'required' as const, parallel_tool_calls: true }
  const whole = await tier().chat.completions.create(asked)
  assert.deepEqual(whole.choices[0]?.message.tool_calls, calls)
  const { tool_choice, parallel_tool_calls } = upstream.calls.at(-1)?.body ?? {}
  assert.deepEqual([tool_choice, parallel_tool_calls], ['required', true])

  const delta = (index: number, more: object) => toChunk({ tool_calls: [{ index, ...more }] })
  upstream.answerWith(
    sendPieces([
      ...[
        toChunk({ role: 'assistant', content: null }),
        delta(0, { ...call('a', 'one', ''), index: 0 }),
        delta(1, { ...call('b', 'two', '{"x"'), index: 1 }),
        delta(0, { function: { arguments: '{}' } }),
        delta(1, { function: { arguments: ':1}' } }),
        toChunk({}, 'tool_calls'),
      ].map(toEvent),
      'data: [DONE]\n\n',
    ]),
  )
  const final = await tier().chat.completions.stream(asked).finalChatCompletion()
  assert.deepEqual(
    final.choices[0]?.message.tool_calls?.map((made) => made.type === 'function' && made.function.arguments),
    ['{}', '{"x":1}'],
  )
})

test('JSON mode, schema, log probabilities and images reach the model, and its output is returned', async () => {
  const logprobs = { content: [{ token: '{', logprob: -0.5, bytes: [123], top_logprobs: [] }], refusal: null }
  const completion = toCompletion({ content: '{"a":1}' })
  const choices = completion.choices.map((choice) => ({ ...choice, logprobs }))
  upstream.answerWith(sendJson({ ...completion, choices }))
  const { completions } = tier().chat
  const plain = await completions.create({
    model,
    messages,
    logprobs: true,
    top_logprobs: 2,
    response_format: { type: 'json_object' },
  })
  assert.deepEqual(plain.choices[0]?.logprobs, logprobs)
  assert.deepEqual(upstream.calls.at(-1)?.body.response_format, { type: 'json_object' })
  const json_schema = {
    name: 'a',
    strict: true,
    schema: { type: 'object', properties: { a: { type: 'integer' } } },
  }
  const image_url = { url: `data:image/png;base64,${PNG}`, detail: 'low' as const }
  const parsed = await completions.parse({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read it.' },
          { type: 'image_url', image_url },
        ],
      },
    ],
    response_format: { type: 'json_schema', json_schema },
  })
  assert.equal(parsed.choices[0]?.message.content, '{"a":1}')
  const { body } = upstream.calls.at(-1) ?? {}
  assert.deepEqual(body.response_format.json_schema, json_schema)
  assert.deepEqual(body.messages[0].content[1].image_url, image_url)
})

test('the usage of a stream is its last chunk for callers that request it, and absent for others', async () => {
  const events = [toChunk({ content: 'Hi' }), toChunk({}, 'stop'), toUsageChunk(7, 1)].map(toEvent)
  upstream.answerWith(sendPieces([...events, 'data: [DONE]\n\n']))
  const ask = async (more: object) =>
    gather(await tier().chat.completions.create({ model, messages, stream: true, ...more }))
  const asked = await ask({ stream_options: { include_usage: true } })
  assert.deepEqual(
    asked.map(({ usage }) => usage?.total_tokens ?? null),
    [null, null, 8],
  )
  const silent = await ask({})
  assert.ok(silent.length === 2 && silent.every((chunk) => !('usage' in chunk)))
})

test('each failure is an error of its class in the SDK, and is not charged', async () => {
  const { completions } = tier().chat
  const ask = (more: object = {}) => completions.create({ model, messages, ...more })
  const earned = await shop.earnedBy(async () => {
    await assert.rejects(
      ask({ n: 2 }),
      (error) => error instanceof OpenAI.BadRequestError && error.param === 'n',
    )
    await assert.rejects(ask({ messages: [] }), OpenAI.BadRequestError)
    upstream.answerWith(sendJson({ error: { message: 'no', code: 'context_length_exceeded' } }, 400))
    await assert.rejects(ask(), OpenAI.UnprocessableEntityError)
    upstream.answerWith(sendJson({}, 429, { 'retry-after': '7' }))
    await assert.rejects(ask(), (error) => {
      assert.ok(error instanceof OpenAI.APIError)
      assert.deepEqual([error.status, error.headers?.get('retry-after')], [503, '7'])
      return true
    })
    upstream.answerWith(sendJson({}, 500))
    await assert.rejects(ask(), OpenAI.InternalServerError)
    upstream.answerWith(sendPieces(['data: {"cho\n\n']))
    await assert.rejects(ask({ stream: true }), OpenAI.InternalServerError)
    await assert.rejects(
      open('/v1/_t/tier-16').chat.completions.create({ model, messages }),
      OpenAI.NotFoundError,
    )
    // Without a paying fetch the error is that of status 402, which has no class of its own.
    const unpaid = open('/v1/_t/tier-1', { fetch }).chat.completions.create({ model, messages })
    await assert.rejects(unpaid, (error) => error instanceof OpenAI.APIError && error.status === 402)
  })
  assert.equal(earned, 0n)
})

test('a model that fails mid-stream is an APIError after the delivered text', async () => {
  upstream.answerWith(
    sendPieces([toEvent(toChunk({ content: 'Hel' })), toEvent({ error: { message: 'secret' } })]),
  )
  const stream = await tier().chat.completions.create({ model, messages, stream: true })
  let text = ''
  await assert.rejects(
    async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    },
    (error) =>
      error instanceof OpenAI.APIError && /broke off/.test(error.message) && !/secret/.test(error.message),
  )
  assert.equal(text, 'Hel')
})
