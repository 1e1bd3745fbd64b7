import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openTiers } from '@tollbook/models/tiers/open-tiers'
import { tierFile } from '@tollbook/models/tiers/tier-file'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { patientHealth } from '@tollbook/testing/inference/patient-health'
import {
  sendJson,
  sendPieces,
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toCompletion,
  toEvent,
} from '@tollbook/testing/models/chat-upstream'
import { BASIC_STREAM, sendEvents, toMessageAnswer } from '@tollbook/testing/models/messages-answers'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { loadMessagesEndpoints } from './mounted-endpoints.ts'

type Dialect = 'chat' | 'messages'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const hello = [{ role: 'user', content: 'hello there' }]
const plain = { model: 'any', max_tokens: 64, messages: hello }

let upstream: TestUpstream
let askChat: Awaited<ReturnType<typeof open>>
let askMessages: Awaited<ReturnType<typeof open>>
before(async () => {
  upstream = await startChatUpstream()
  ;[askChat, askMessages] = await Promise.all([open('chat'), open('messages')])
})
beforeEach(() => {
  upstream.calls.splice(0)
})
after(() => upstream.close())

/** The endpoints, with a model whose upstream has one dialect. */
async function open(
  dialect: Dialect,
  fetch = createSafeFetch({ allowPrivateNetwork: true }),
  tier = 'messages',
) {
  const upstreams = [{ base_url: upstream.url, model: 'upstream-model', dialect }]
  const limits = { input_characters: 10_000, output_tokens: 1000 }
  const file = tierFile.parse({ tiers: { [tier]: { upstreams, limits } } })
  const tiers = await openTiers(file, { userAgent: 'test', health: patientHealth })
  const { ask } = openService({
    name: 'utility',
    title: 'Test',
    description: 'Test',
    baseUrl: 'https://test.example',
    endpoints: await loadMessagesEndpoints(),
    ports: { tiers, fetch },
  })
  return (body: unknown, path = '/v1/messages?beta=true') =>
    ask(path, { method: 'POST', payer: TEST_PAYER, body, headers: { 'x-api-key': 'ignored' } })
}

test('an upstream of chat completions answers, and the answer is a message', async () => {
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi' })))
  const { status, body, headers } = await askChat(plain)
  assert.equal(status, 200)
  const { id, ...rest } = body
  assert.match(id, /^msg_[0-9a-f]{32}$/)
  assert.equal(headers.get('request-id'), headers.get('x-request-id'))
  assert.deepEqual(rest, {
    type: 'message',
    role: 'assistant',
    model: 'messages',
    content: [{ type: 'text', text: 'Hi', citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    container: null,
    usage: {
      input_tokens: 5,
      output_tokens: 2,
      output_tokens_details: null,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  })
  assert.equal(upstream.calls[0]?.headers['x-api-key'], undefined)
})

test('an upstream of messages receives the same request, and its answer is passed on except for id and model', async () => {
  const fields = {
    system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    stop_sequences: ['a', 'b', 'c', 'd', 'e'],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    tools: [
      { name: 'look', input_schema: { type: 'object' }, input_examples: [{ at: 'sea' }], strict: true },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    metadata: { user_id: 'someone' },
    thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' },
    output_config: { effort: 'max', format: { type: 'json_schema', schema: { type: 'object' } } },
  }
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'sig' }
  const turns = [
    ...hello,
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Yes?' }] },
    ...hello,
  ]
  const answer = toMessageAnswer([thinking, { type: 'text', text: 'Hi', citations: null }], 'end_turn', {
    more: 1,
  })
  upstream.answerWith(sendJson(answer))
  // The edits are those of Claude Code 2.1.197.
  const context_management = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] }
  const harmless = { service_tier: 'auto', speed: 'standard', container: null, context_management }
  const { status, body, text } = await askMessages({ ...plain, ...fields, ...harmless, messages: turns })
  assert.equal(status, 200, text)
  assert.deepEqual(upstream.calls[0]?.body, {
    ...fields,
    max_tokens: 64,
    messages: turns,
    model: 'upstream-model',
    stream: false,
  })
  const { id, model, usage, ...rest } = body
  const { id: _, model: __, usage: counted, ...provided } = answer
  assert.deepEqual([rest, model], [provided, 'messages'])
  assert.match(id, /^msg_/)
  assert.deepEqual(usage, { ...counted, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 })
})

const PDF_BLOCK = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
}
const say = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })
const REFUSED: readonly (readonly [dialects: readonly Dialect[], field: object, parameter: string])[] = [
  [['chat', 'messages'], { container: 'x' }, 'container'],
  [['chat', 'messages'], { mcp_servers: [{}] }, 'mcp_servers'],
  [['chat', 'messages'], { service_tier: 'priority' }, 'service_tier'],
  [['chat', 'messages'], { speed: 'fast' }, 'speed'],
  [
    ['chat', 'messages'],
    { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 1 }] } },
    'context_management',
  ],
  [['chat', 'messages'], { temprature: 1 }, 'temprature'],
  [['chat', 'messages'], { max_tokens: undefined }, 'max_tokens'],
  [['chat', 'messages'], { max_tokens: 1001 }, 'max_tokens'],
  [['chat', 'messages'], { temperature: 1.5 }, 'temperature'],
  [['chat', 'messages'], { messages: [] }, 'messages'],
  [['chat', 'messages'], say({ type: 'text', text: 'a'.repeat(10_001) }), 'messages'],
  [['chat', 'messages'], say({ type: 'video' }), 'messages.0.content.0.type'],
  [['chat', 'messages'], say({ type: 'text', text: 'a', bold: true }), 'messages.0.content.0.bold'],
  [
    ['chat', 'messages'],
    say({ type: 'image', source: { type: 'file', file_id: 'f' } }),
    'messages.0.content.0.source.type',
  ],
  [
    ['chat', 'messages'],
    say({ type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } }),
    'messages.0.content.0.source.url',
  ],
  [['chat', 'messages'], { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools.0.type'],
  [['chat', 'messages'], { output_config: { format: { type: 'text' } } }, 'output_config.format.type'],
  [['chat'], { messages: [...hello, { role: 'assistant', content: 'I am (' }] }, 'messages'],
  [['chat'], say({ ...PDF_BLOCK, citations: { enabled: true } }), 'messages.0.content.0.citations'],
]
for (const [dialects, field, parameter] of REFUSED) {
  test(`${JSON.stringify(field).slice(0, 100)} is rejected by the name ${parameter}, in the dialect's envelope`, async () => {
    for (const dialect of dialects) {
      const { status, body, headers } = await (dialect === 'chat' ? askChat : askMessages)({
        ...plain,
        ...field,
      })
      assert.equal(status, 400, JSON.stringify(body))
      assert.deepEqual([body.type, body.error.type], ['error', 'invalid_request_error'])
      assert.equal(body.request_id, headers.get('request-id'))
      assert.equal(body.problem.issues[0].parameter, parameter, body.error.message)
      assert.equal(upstream.calls.length, 0)
    }
  })
}

test('images and documents by URL are fetched by the service and inlined, also in tool results', async () => {
  const site = await servePages({
    '/dot.png': { headers: { 'content-type': 'image/png' }, body: Buffer.from(PNG, 'base64') },
    '/a.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.4' },
    '/page': 'no image',
  })
  const image = (path: string) => ({ type: 'image', source: { type: 'url', url: site.url + path } })
  const document = { type: 'document', source: { type: 'url', url: `${site.url}/a.pdf` }, title: 'A' }
  const result = { type: 'tool_result', tool_use_id: 'a', content: [image('/dot.png')] }
  upstream.answerWith(sendJson(toMessageAnswer([])))
  const { status, text } = await askMessages({ ...plain, ...say(result, image('/dot.png'), document) })
  assert.equal(status, 200, text)
  const inside = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
  const pdf = Buffer.from('%PDF-1.4').toString('base64')
  assert.deepEqual(upstream.calls[0]?.body.messages[0].content, [
    { ...result, content: [inside] },
    inside,
    { ...document, source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
  ])
  const wrong = await askMessages({ ...plain, ...say(image('/page')) })
  assert.deepEqual(
    [wrong.status, wrong.body.problem.issues[0].parameter],
    [422, 'messages.0.content.0.source.url'],
  )
  const askPublicly = await open('messages', createSafeFetch({ allowPrivateNetwork: false }))
  const blocked = await askPublicly({ ...plain, ...say(image('/dot.png')) })
  assert.equal(blocked.status, 422)
  assert.equal(upstream.calls.length, 1)
  site.close()
})

test('upstream errors are reported without their wording and in the types of the dialect', async () => {
  const cases = [
    [400, 422, 'invalid_request_error'],
    [500, 502, 'api_error'],
    // Last, because the circuit breaker of the upstream is open afterwards.
    [429, 503, 'overloaded_error'],
  ] as const
  for (const ask of [await open('chat'), await open('messages')]) {
    for (const [provided, status, type] of cases) {
      upstream.answerWith(sendJson({ error: { message: 'secret' } }, provided, { 'retry-after': '0' }))
      const answered = await ask(plain)
      assert.deepEqual([answered.status, answered.body.error.type], [status, type])
      assert.doesNotMatch(answered.text, /secret/)
    }
  }
})

test('without counts of the upstream they are estimated, and never reported as zero', async () => {
  upstream.answerWith(sendJson({ ...toCompletion({ content: 'Hello to you' }), usage: undefined }))
  const { body } = await askChat(plain)
  // "hello there" and "Hello to you" in o200k: 2 and 3 tokens.
  assert.deepEqual([body.usage.input_tokens, body.usage.output_tokens], [2, 3])
  const stops = { stop_sequences: ['1', '2', '3', '4', 'END'], stream: true }
  upstream.answerWith(
    sendPieces(
      [toChunk({ content: 'Hello to you' }), toChunk({ content: 'EN' }), toChunk({ content: 'D' })].map(
        toEvent,
      ),
      false,
    ),
  )
  const { text } = await askChat({ ...plain, ...stops })
  assert.match(
    text,
    /"stop_reason":"stop_sequence","stop_sequence":"END".*"input_tokens":2.*"output_tokens":3/,
  )
  assert.match(text, /event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/)
  // Clients read the input tokens of a stream from its first event.
  assert.match(text, /^event: message_start\n.*"usage":\{[^}]*"input_tokens":2[,}]/)
})

test('a stream of messages keeps its events, under the id of the call', async () => {
  upstream.answerWith(sendEvents(BASIC_STREAM))
  const { text, headers } = await askMessages({ ...plain, stream: true })
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
  const events = text
    .trimEnd()
    .split('\n\n')
    .map((event) => JSON.parse(event.split('\ndata: ')[1] ?? ''))
  assert.deepEqual(
    events.map(({ type }) => type),
    BASIC_STREAM.map(({ type }) => type),
  )
  assert.match(events[0].message.id, /^msg_[0-9a-f]{32}$/)
  assert.equal(events[0].message.model, 'messages')
  const { input_tokens, output_tokens } = events.at(-2).usage
  assert.deepEqual([input_tokens, output_tokens], [25, 15])
})

test('tokens are counted by the upstream, or estimated, and no URL is fetched for it', async () => {
  const { max_tokens: _, ...count } = plain
  const path = '/v1/messages/count_tokens'
  upstream.answerWith(sendJson({ input_tokens: 14 }))
  assert.deepEqual((await askMessages(count, path)).body, { input_tokens: 14 })
  assert.deepEqual((await askChat(count, path)).body, { input_tokens: 2 })
  assert.equal(upstream.calls.length, 1)
  const image = { type: 'image', source: { type: 'url', url: 'http://127.0.0.1:1/dot.png' } }
  // 2 of the text and 1,600 of an image.
  const counted = await askMessages({ ...say({ type: 'text', text: 'hello there' }, image) }, path)
  assert.deepEqual(counted.body, { input_tokens: 1602 })
  upstream.answerWith(sendJson({}, 500))
  assert.deepEqual((await askMessages(count, path)).body, { input_tokens: 2 })
  assert.equal((await askMessages({ ...count, stream: true }, path)).status, 400)
})

test('tokens are estimated for a tier that `model` names, without a model of /v1/messages', async () => {
  const askTier = await open('chat', undefined, 'tier-3')
  const { max_tokens: _, ...count } = plain
  const counted = await askTier({ ...count, model: 'tier-3' }, '/v1/messages/count_tokens')
  assert.deepEqual(counted.body, { input_tokens: 2 })
})
