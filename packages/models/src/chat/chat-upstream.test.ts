import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, afterEach, before, test } from 'node:test'
import { createLiveFetch } from '@tollbook/safe-fetch/live-fetch'
import { gather } from '@tollbook/testing/gather'
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
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import type { ChatChunk } from './chat-messages.ts'
import { createChatUpstream } from './chat-upstream.ts'

const NEVER = new AbortController().signal
const QUESTION = { messages: [{ role: 'user', content: 'hello there' }] }

let upstream: TestUpstream
before(async () => {
  upstream = await startChatUpstream()
})
afterEach(() => upstream.calls.splice(0))
after(() => upstream.close())

function open(more: Partial<Parameters<typeof createChatUpstream>[0]> = {}) {
  return createChatUpstream({
    baseUrl: upstream.url,
    model: 'upstream-model',
    key: undefined,
    maxTokensField: 'max_tokens',
    firstTokenMs: 20_000,
    idleMs: 20_000,
    totalMs: 20_000,
    fetch: createLiveFetch({ allowPrivateNetwork: true }),
    ...more,
  })
}

async function readStream(signal = NEVER): Promise<ChatChunk[]> {
  return gather(await open().stream(QUESTION, signal))
}

const textOf = (chunks: readonly ChatChunk[]) =>
  chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta?.content ?? '')).join('')

test('a whole answer keeps unknown members of the upstream', async () => {
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi', reasoning_content: 'Short.' })))
  const answer = await open({ key: 'sk-1' }).complete({ ...QUESTION, max_tokens: 7, seed: 3 }, NEVER)
  assert.equal(answer.choices[0]?.message.content, 'Hi')
  assert.equal(answer.choices[0]?.message.reasoning_content, 'Short.')
  assert.equal(answer.system_fingerprint, 'fp_1')
  const [call] = upstream.calls
  assert.equal(call?.headers.authorization, 'Bearer sk-1')
  assert.deepEqual(call?.body, {
    ...QUESTION,
    model: 'upstream-model',
    max_tokens: 7,
    seed: 3,
    stream: false,
  })
})

test("the token limit is sent under the upstream's field name, and role developer as system", async () => {
  upstream.answerWith(sendJson(toCompletion({ content: 'Hi' })))
  const messages = [{ role: 'developer', content: 'Be short.' }]
  await open({ maxTokensField: 'max_completion_tokens' }).complete({ messages, max_tokens: 7 }, NEVER)
  const { max_completion_tokens, max_tokens, messages: sent } = upstream.calls[0]?.body ?? {}
  assert.deepEqual([max_completion_tokens, max_tokens], [7, undefined])
  assert.deepEqual(sent, [{ role: 'system', content: 'Be short.' }])
})

test('a stream is parsed with CRLF, comments and split characters, and usage after the end is read', async () => {
  const cut = Buffer.from(toEvent(toChunk({ content: '漢字😀' })))
  const at = cut.indexOf('字') + 1
  upstream.answerWith(
    sendPieces([
      ': keep-alive\r\n\r\n',
      toEvent(toChunk({ role: 'assistant', content: '' })).replaceAll('\n', '\r\n'),
      cut.subarray(0, at),
      cut.subarray(at),
      toEvent(toChunk({}, 'stop')),
      toEvent(toUsageChunk(5, 2)),
      'data: [DONE]\n\n',
    ]),
  )
  const chunks = await readStream()
  assert.equal(textOf(chunks), '漢字😀')
  assert.equal(chunks.at(-1)?.usage?.completion_tokens, 2)
  const { stream, stream_options } = upstream.calls[0]?.body ?? {}
  assert.deepEqual({ stream, stream_options }, { stream: true, stream_options: { include_usage: true } })
})

test('interleaved deltas of several tools keep their order', async () => {
  const tool = (index: number, more: object) => toChunk({ tool_calls: [{ index, ...more }] })
  const deltas = [
    tool(0, { id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
    tool(1, { id: 'b', type: 'function', function: { name: 'two', arguments: '{"x":' } }),
    tool(0, { function: { arguments: '{}' } }),
    tool(1, { function: { arguments: '1}' } }),
    toChunk({}, 'tool_calls'),
  ]
  upstream.answerWith(sendPieces([...deltas.map(toEvent), 'data: [DONE]\n\n']))
  assert.deepEqual(await readStream(), deltas)
})

test('a stream that ends after its finish_reason is complete, even without [DONE]', async () => {
  upstream.answerWith(sendPieces([toEvent(toChunk({ content: 'Hi' })), toEvent(toChunk({}, 'stop'))]))
  assert.equal(textOf(await readStream()), 'Hi')
})

const BROKEN: Readonly<Record<string, readonly string[]>> = {
  'ends before any content': [toEvent(toChunk({ role: 'assistant' })), 'data: [DONE]\n\n'],
  'ends before its finish_reason': [toEvent(toChunk({ content: 'Hi' }))],
  'sends [DONE] before its finish_reason': [toEvent(toChunk({ content: 'Hi' })), 'data: [DONE]\n\n'],
  'sends an error': [toEvent({ error: { message: 'secret words of the upstream' } })],
  'sends an error after content': [
    toEvent(toChunk({ content: 'Hi' })),
    toEvent({ error: { message: 'no' } }),
  ],
  'sends invalid JSON': ['data: {"choices": [\n\n'],
  'sends another kind of object': ['data: [1]\n\n'],
  'is empty': [],
}
for (const [how, pieces] of Object.entries(BROKEN)) {
  test(`a stream that ${how} fails, and the upstream's text is not exposed`, async () => {
    upstream.answerWith(sendPieces(pieces))
    await assert.rejects(
      readStream(),
      (error) => error instanceof ModelFailed && !/secret/.test(error.message),
    )
  })
}

test('a stream whose connection is cut fails', async () => {
  upstream.answerWith(async (call, response) => {
    await sendPieces([toEvent(toChunk({ content: 'Hi' }))], false)(call, response)
    response.destroy()
  })
  await assert.rejects(readStream(), /broke off/)
})

test('an event without an end fails', async () => {
  const megabyte = 'a'.repeat(1_048_576)
  const answer = [toEvent(toChunk({ content: 'Hi' })), 'data: ', ...Array.from({ length: 5 }, () => megabyte)]
  upstream.answerWith(sendPieces(answer))
  await assert.rejects(
    readStream(),
    (error) => error instanceof ModelFailed && /event that is too long/.test(error.message),
  )
})

test('an upstream that hangs before its content, or after some, times out', async () => {
  const hang = { firstTokenMs: 150, idleMs: 150 }
  upstream.answerWith(sendPieces([': wait\n\n', toEvent(toChunk({ role: 'assistant' }))], false))
  const isLate = (error: unknown) => error instanceof ModelFailed && error.isLate
  await assert.rejects(open({ ...hang, idleMs: 20_000 }).stream(QUESTION, NEVER), isLate)
  upstream.answerWith(sendPieces([toEvent(toChunk({ content: 'Hi' }))], false))
  const cut = open({ ...hang, firstTokenMs: 20_000 })
  await assert.rejects(async () => gather(await cut.stream(QUESTION, NEVER)), ModelFailed)
  upstream.answerWith(() => {})
  await assert.rejects(open({ totalMs: 150 }).complete(QUESTION, NEVER), isLate)
})

test('refused, busy and failed answers are distinguished by their status', async () => {
  const ask = async (status: number, body: object = {}, headers = {}) => {
    upstream.answerWith(sendJson(body, status, headers))
    return open()
      .complete(QUESTION, NEVER)
      .catch((error: unknown) => error)
  }
  const tooLong = { error: { message: '…', code: 'context_length_exceeded' } }
  const refused = await ask(400, tooLong)
  assert.ok(refused instanceof ModelRefused && refused.isTooLong)
  const malformed = await ask(422)
  assert.ok(malformed instanceof ModelRefused && !malformed.isTooLong)
  const busy = await ask(429, {}, { 'retry-after': '7' })
  assert.ok(busy instanceof ModelBusy && busy.retryAfterSeconds === 7)
  for (const status of [401, 404, 500, 503]) assert.ok((await ask(status)) instanceof ModelFailed)
  assert.ok((await ask(200, { choices: [] })) instanceof ModelFailed)
  upstream.answerWith(sendJson({}))
  await assert.rejects(readStream(), /not an event stream/)
})

test('if the caller disconnects, the request to the upstream is cancelled', async () => {
  for (const leave of ['abort', 'return'] as const) {
    const ended = Promise.withResolvers<void>()
    upstream.answerWith(async (call, response) => {
      once(response, 'close').then(() => ended.resolve())
      await sendPieces([toEvent(toChunk({ content: 'Hi' }))], false)(call, response)
    })
    const left = new AbortController()
    const chunks = await open().stream(QUESTION, left.signal)
    const iterator = chunks[Symbol.asyncIterator]()
    assert.equal((await iterator.next()).done, false)
    if (leave === 'abort') left.abort(new Error('gone'))
    else await iterator.return?.()
    await ended.promise
  }
})

test('an upstream is alive while its list of models answers, and dead if nothing listens', async () => {
  assert.equal(await open().isAlive(), true)
  assert.equal(await open({ baseUrl: 'http://127.0.0.1:1/v1' }).isAlive(), false)
})

/** Nested too deeply to be serialized again. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

test('an answer that is nested too deeply is an upstream failure, whole or streamed', async () => {
  const whole = JSON.stringify(toCompletion({ content: 'Hi', more: 0 })).replace('"more":0', `"more":${DEEP}`)
  upstream.answerWith((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(whole)
  })
  await assert.rejects(open().complete(QUESTION, NEVER), ModelFailed)
  const event = toEvent(toChunk({ content: 'Hi', more: 0 })).replace('"more":0', `"more":${DEEP}`)
  upstream.answerWith(sendPieces([event, 'data: [DONE]\n\n']))
  await assert.rejects(readStream(), ModelFailed)
})
