import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { ALL_TIERS, METERED_TIERS } from '@tollbook/models/tiers/tier-table'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import {
  sendJson,
  startChatUpstream,
  type TestUpstream,
  toCompletion,
} from '@tollbook/testing/models/chat-upstream'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { createInferenceService } from '../service.ts'

/** 1 x 1 PNG. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const hello = [{ role: 'user', content: 'hello there' }]

let upstream: TestUpstream
let ask: Awaited<ReturnType<typeof open>>
before(async () => {
  upstream = await startChatUpstream()
  ask = await open()
})
beforeEach(() => {
  upstream.calls.splice(0)
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi' })))
})
after(() => upstream.close())

/** Every tier on one upstream; tier-2 with the operator's bounds. */
async function open(ports: Parameters<typeof inferencePorts>[0] = {}) {
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model' }]
  const limits = { input_characters: 100, output_tokens: 50 }
  const tiers = Object.fromEntries(
    ALL_TIERS.map(({ name }) => [name, { upstreams, ...(name === 'tier-2' && { limits }) }]),
  )
  const opened = await openTiers(tierFile.parse({ tiers }), { userAgent: 'test', health: patientHealth })
  const service = await createInferenceService({
    baseUrl: 'https://test.example',
    ports: inferencePorts({ tiers: opened, ...ports }),
  })
  const { ask } = openService(service)
  return (path: string, body: unknown) => ask(path, { method: 'POST', payer: TEST_PAYER, body })
}

const plain = (body: object, tier = 'tier-1') => ask(`/v1/chat/completions/_t/${tier}`, body)

test('each tier answers under its path, also for SDKs, and returns its own name', async () => {
  for (const path of ['/v1/chat/completions/_t/tier-7', '/v1/_t/tier-7/chat/completions']) {
    const { status, body } = await ask(path, { model: 'anything', messages: hello })
    assert.equal(status, 200)
    assert.equal(body.object, 'chat.completion')
    assert.equal(body.model, 'tier-7')
    assert.match(body.id, /^chatcmpl-/)
    assert.equal(body.choices[0].message.content, 'Hi')
    assert.deepEqual(body.usage, { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 })
  }
})

test('exactly the fields that belong to the model reach it', async () => {
  const tools = [
    { type: 'function', function: { name: 'look', parameters: { type: 'object' }, strict: true } },
  ]
  const schema = { name: 'answer', strict: true, schema: { type: 'object' } }
  const fields = {
    temperature: 0.5,
    top_p: 0.9,
    stop: ['END'],
    seed: 7,
    presence_penalty: 1,
    frequency_penalty: -1,
    logit_bias: { '50256': -100 },
    logprobs: true,
    top_logprobs: 3,
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: schema },
    reasoning_effort: 'low',
    verbosity: 'low',
    user: 'someone',
    function_call: 'auto',
    functions: [{ name: 'old' }],
  }
  const harmless = { n: 1, store: false, modalities: ['text'], service_tier: 'auto', metadata: null }
  const { status, text } = await plain({
    model: 'any',
    messages: hello,
    ...fields,
    ...harmless,
    max_tokens: 9,
  })
  assert.equal(status, 200, text)
  assert.deepEqual(upstream.calls[0]?.body, {
    ...fields,
    messages: hello,
    model: 'upstream-model',
    max_tokens: 9,
    stream: false,
  })
})

const REFUSED: readonly (readonly [field: object, parameter: string])[] = [
  [{ n: 2 }, 'n'],
  [{ store: true }, 'store'],
  [{ audio: { voice: 'alloy', format: 'wav' } }, 'audio'],
  [{ modalities: ['text', 'audio'] }, 'modalities'],
  [{ service_tier: 'priority' }, 'service_tier'],
  [{ web_search_options: {} }, 'web_search_options'],
  [{ temprature: 1 }, 'temprature'],
  [{ model: 'tier-2' }, 'model'],
  [{ stream_options: { include_usage: true } }, 'stream_options'],
  [{ stream: true, stream_options: { include_obfuscation: true } }, 'stream_options.include_obfuscation'],
  [{ max_tokens: 5, max_completion_tokens: 6 }, 'max_completion_tokens'],
  [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools.0.type'],
  [{ messages: [] }, 'messages'],
  [{ messages: [{ role: 'user' }] }, 'messages.0.content'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.tool_call_id'],
  [{ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 'messages.0.content.0.type'],
  [
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
      ],
    },
    'messages.0.content.0.image_url.url',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    'messages.0.content.0.file.file_data',
  ],
]
for (const [field, parameter] of REFUSED) {
  test(`${JSON.stringify(field)} is rejected by the name ${parameter}, in the dialect's envelope`, async () => {
    const { status, body } = await plain({ messages: hello, ...field })
    assert.equal(status, 400)
    assert.equal(body.error.type, 'invalid_request_error')
    assert.equal(body.error.param, parameter, JSON.stringify(body))
    assert.equal(upstream.calls.length, 0)
  })
}

// Specification 4.5: the max_tokens that a tier accepts, and its default.
const RANGES: readonly (readonly [tier: string, fine: number[], refused: number[], standard: number])[] = [
  ['tier-5', [512, 2048], [511, 2049], 1024],
  ['tier-8', [512, 4096], [511, 4097], 4096],
  ['tier-12', [1, 1024], [1025], 1024],
  ['tier-14', [1, 2048], [2049], 2048],
  ['tier-2', [1, 50], [51], 50],
]
for (const [tier, fine, refused, standard] of RANGES) {
  test(`${tier} accepts max_tokens ${fine.join(' to ')}, and defaults to ${standard}`, async () => {
    for (const max_tokens of fine)
      assert.equal((await plain({ messages: hello, max_tokens }, tier)).status, 200)
    assert.equal((await plain({ messages: hello }, tier)).status, 200)
    assert.deepEqual(
      upstream.calls.map(({ body }) => body.max_tokens),
      [...fine, standard],
    )
    for (const max_completion_tokens of refused) {
      const { body } = await plain({ messages: hello, max_completion_tokens }, tier)
      assert.equal(body.error.param, 'max_completion_tokens')
    }
  })
}

test('tier 12 reads 36,000 characters in total, tier 14 12,000 per message, counted as code points', async () => {
  const say = (count: number) => ({ role: 'user', content: '😀'.repeat(count) })
  const cases = [
    ['tier-12', [say(30_000), say(6_000)], null],
    ['tier-12', [say(30_000), say(6_001)], 'messages'],
    ['tier-14', [say(12_000), say(12_000)], null],
    ['tier-14', [say(10), say(12_001)], 'messages.1.content'],
    ['tier-2', [say(100)], null],
    ['tier-2', [say(101)], 'messages'],
  ] as const
  for (const [tier, messages, parameter] of cases) {
    const { status, body } = await plain({ messages }, tier)
    assert.deepEqual([status, body.error?.param ?? null], [parameter ? 400 : 200, parameter])
  }
})

test('an image by URL is fetched by the service and inlined; anything but an image is rejected', async () => {
  const site = await servePages({
    '/dot.png': { headers: { 'content-type': 'image/png' }, body: Buffer.from(PNG, 'base64') },
    '/page': 'no image',
  })
  const see = (url: string) => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'low' } }] }],
  })
  const data = `data:image/png;base64,${PNG}`
  for (const url of [`${site.url}/dot.png`, data]) assert.equal((await plain(see(url))).status, 200)
  assert.deepEqual(
    upstream.calls.map(({ body }) => body.messages[0].content[0].image_url),
    [
      { url: data, detail: 'low' },
      { url: data, detail: 'low' },
    ],
  )
  const wrong = await plain(see(`${site.url}/page`))
  assert.deepEqual([wrong.status, wrong.body.error.code], [422, 'cannot_be_served'])
  const askPublicly = await open({ fetch: createSafeFetch({ allowPrivateNetwork: false }) })
  const inside = await askPublicly('/v1/chat/completions', see(`${site.url}/dot.png`))
  assert.deepEqual([inside.status, inside.body.error.param], [422, 'messages.0.content.0.image_url.url'])
  assert.equal(upstream.calls.length, 2)
  site.close()
})

test("the upstream's errors are reported without its wording", async () => {
  const cases = [
    [400, { error: { message: 'secret', code: 'context_length_exceeded' } }, 422, /longer than the model/],
    [400, { error: { message: 'secret' } }, 422, /does not accept/],
    [500, { error: 'secret' }, 502, /failed/],
  ] as const
  for (const [provided, body, status, words] of cases) {
    upstream.answerWith(sendJson(body, provided))
    const answered = await plain({ messages: hello })
    assert.equal(answered.status, status)
    assert.match(answered.body.error.message, words)
    assert.doesNotMatch(answered.text, /secret/)
  }
})

test('a metered call reports its cost, and sends a bound that its price covers', async () => {
  const usage = { prompt_tokens: 20_000, completion_tokens: 500, total_tokens: 20_500 }
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi' }, 'stop', usage)))
  const long = [{ role: 'user', content: 'word '.repeat(5_000) }]
  for (const path of ['/v1/chat/completions/_t/tier-8/upto', '/v1/_t/tier-8/upto/chat/completions']) {
    const { status, body, headers } = await ask(path, { model: 'tier-8/upto', messages: long })
    assert.equal(status, 200)
    assert.equal(body.model, 'tier-8/upto')
    // 20,000 * 0.4 + 500 * 1.6 micro-USDC.
    assert.equal(headers.get('x-cost-usd'), '0.0088')
    assert.deepEqual(body.usage, { ...usage, cost_usd: 0.0088 })
  }
  assert.deepEqual(
    upstream.calls.map(({ body }) => body.max_tokens),
    [4096, 4096],
  )
})

test('a metered path takes every text that the plain path takes, at the listing price at most', async () => {
  // More tokens than any price of the list pays for: 3,600,000 at 0.08 dollars a million are 0.288.
  const usage = { prompt_tokens: 3_600_000, completion_tokens: 5, total_tokens: 3_600_005 }
  const texts = ['a'.repeat(300_000), '\u9f98'.repeat(44_000), 'The fox jumps. '.repeat(300_000)]
  for (const { name, upto } of METERED_TIERS.filter(({ name }) => name !== 'tier-2'))
    for (const content of texts) {
      const body = { messages: [{ role: 'user', content }] }
      assert.equal((await plain(body, name)).status, 200, name)
      upstream.answerWith(sendJson(toCompletion({ content: 'Hi' }, 'stop', usage)))
      const metered = await plain(body, `${name}/upto`)
      assert.equal(metered.status, 200, `${name} ${metered.text.slice(0, 300)}`)
      assert.ok(metered.body.usage.cost_usd <= Number(upto?.priceUsd), name)
    }
})

test('a metered path serves what its caps admit, and rejects the rest uncharged', async () => {
  const upto = (body: object) => ask('/v1/chat/completions/_t/tier-3/upto', body)
  const cases = [
    [{ messages: hello, max_tokens: 4_097 }, 'max_tokens'],
    [{ messages: hello, model: 'tier-3' }, null],
    [{ messages: hello, model: 'tier-8/upto' }, 'model'],
  ] as const
  for (const [body, parameter] of cases) {
    const answered = await upto(body)
    assert.deepEqual(
      [answered.status, answered.body.error?.param ?? null],
      [parameter ? 400 : 200, parameter],
    )
  }
})
