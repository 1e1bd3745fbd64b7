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
} from '@tollbook/testing/models/chat-upstream'
import {
  BASIC_STREAM,
  sendEvents,
  TOOL_STREAM,
  toMessageAnswer,
  toNamedEvent,
} from '@tollbook/testing/models/messages-answers'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import { createMessagesUpstream } from './messages-upstream.ts'
import { messagesRequest } from './request.ts'

const NEVER = new AbortController().signal
const QUESTION = messagesRequest.parse({
  max_tokens: 64,
  messages: [{ role: 'user', content: 'hello there' }],
  thinking: { type: 'adaptive' },
  top_k: 5,
})

let upstream: TestUpstream
before(async () => {
  upstream = await startChatUpstream()
})
afterEach(() => upstream.calls.splice(0))
after(() => upstream.close())

function open(more: Partial<Parameters<typeof createMessagesUpstream>[0]> = {}) {
  return createMessagesUpstream({
    baseUrl: upstream.url,
    model: 'upstream-model',
    key: undefined,
    firstTokenMs: 20_000,
    idleMs: 20_000,
    totalMs: 20_000,
    fetch: createLiveFetch({ allowPrivateNetwork: true }),
    ...more,
  })
}

test('a whole answer and its request are passed on unchanged', async () => {
  const answer = toMessageAnswer([{ type: 'text', text: 'Hi', citations: null }], 'end_turn', {
    extra: { a: 1 },
  })
  upstream.answerWith(sendJson(answer))
  assert.deepEqual(await open({ key: 'sk-1' }).complete(QUESTION, NEVER), answer)
  const [call] = upstream.calls
  assert.equal(call?.path, '/v1/messages')
  assert.deepEqual(call?.body, { ...QUESTION, model: 'upstream-model', stream: false })
  const { 'x-api-key': key, 'anthropic-version': version, authorization } = call?.headers ?? {}
  assert.deepEqual([key, version, authorization], ['sk-1', '2023-06-01', undefined])
})

test('a stream is passed on unchanged, event by event', async () => {
  for (const events of [BASIC_STREAM, TOOL_STREAM]) {
    upstream.answerWith(sendEvents(events))
    assert.deepEqual(await gather(await open().stream(QUESTION, NEVER)), events)
  }
  assert.equal(upstream.calls[0]?.body.stream, true)
})

test('a stream without its last event, or with unknown events, is complete', async () => {
  const strange = toNamedEvent({ type: 'something_new', index: 7 })
  upstream.answerWith(sendPieces([...BASIC_STREAM.slice(0, -1).map(toNamedEvent), strange]))
  assert.deepEqual(await gather(await open().stream(QUESTION, NEVER)), BASIC_STREAM)
})

const [start, begin, ping, first, second, stop, end, last] = BASIC_STREAM.map(toNamedEvent)
const failure = toNamedEvent({ type: 'error', error: { type: 'overloaded_error', message: 'secret' } })
const BROKEN: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'is empty': [],
  'ends before any content': [start, begin, ping],
  'ends before its stop reason': [start, begin, first, stop],
  'sends an error first': [failure],
  'sends an error after content': [start, begin, first, failure],
  'sends invalid JSON': [start, begin, first, 'event: content_block_delta\ndata: {"type":\n\n'],
  'sends another kind of object': [start, begin, first, 'data: [1]\n\n'],
  'begins within': [first, stop, end, last],
  'begins twice': [start, start, begin, first, stop, end, last],
  'continues a closed block': [start, begin, first, stop, second, end, last],
  'opens a block within another': [start, begin, first, begin, second, stop, end, last],
  'stops without a stop reason': [start, begin, first, stop, last],
  'sends its stop reason within a block': [start, begin, first, end, last],
}
for (const [how, pieces] of Object.entries(BROKEN)) {
  test(`a stream that ${how} fails, and the upstream's text is not exposed`, async () => {
    upstream.answerWith(sendPieces(pieces.map(String)))
    await assert.rejects(
      async () => gather(await open().stream(QUESTION, NEVER)),
      (error) => error instanceof ModelFailed && !/secret/.test(error.message),
    )
  })
}

test('an upstream that hangs before its content, or after some, times out', async () => {
  upstream.answerWith(sendPieces([String(start), String(ping)], false))
  const isLate = (error: unknown) => error instanceof ModelFailed && error.isLate
  await assert.rejects(open({ firstTokenMs: 150 }).stream(QUESTION, NEVER), isLate)
  upstream.answerWith(sendPieces([start, begin, first].map(String), false))
  await assert.rejects(async () => gather(await open({ idleMs: 150 }).stream(QUESTION, NEVER)), ModelFailed)
})

test('refused, busy and failed answers are distinguished by their status', async () => {
  const ask = async (status: number, error: object = {}, headers = {}) => {
    upstream.answerWith(sendJson({ type: 'error', error }, status, headers))
    return open()
      .complete(QUESTION, NEVER)
      .catch((reason: unknown) => reason)
  }
  const message = 'prompt is too long: 205000 tokens > 200000 maximum'
  const tooLong = await ask(400, { type: 'invalid_request_error', message })
  assert.ok(tooLong instanceof ModelRefused && tooLong.isTooLong)
  const malformed = await ask(400, { type: 'invalid_request_error', message: 'tools.0: no' })
  assert.ok(malformed instanceof ModelRefused && !malformed.isTooLong)
  const busy = await ask(429, {}, { 'retry-after': '7' })
  assert.ok(busy instanceof ModelBusy && busy.retryAfterSeconds === 7)
  assert.ok((await ask(529, { type: 'overloaded_error' })) instanceof ModelBusy)
  for (const status of [401, 403, 404, 500]) assert.ok((await ask(status)) instanceof ModelFailed)
  assert.ok((await ask(200)) instanceof ModelFailed)
})

test('a consumer that stops reading closes the connection to the upstream', async () => {
  const ended = Promise.withResolvers<boolean>()
  upstream.answerWith(async (call, response) => {
    once(response, 'close').then(() => ended.resolve(response.writableFinished))
    await sendPieces([start, begin, first].map(String), false)(call, response)
  })
  const events = await open().stream(QUESTION, NEVER)
  const read: string[] = []
  for await (const event of events) {
    read.push(event.type)
    if (event.type === 'content_block_delta') break
  }
  assert.equal(read.at(-1), 'content_block_delta')
  assert.equal(await ended.promise, false)
})

test('the upstream counts tokens before any answer', async () => {
  upstream.answerWith(sendJson({ input_tokens: 14 }))
  const { max_tokens: _, ...request } = QUESTION
  assert.equal(await open().countTokens?.(request, NEVER), 14)
  assert.equal(upstream.calls[0]?.path, '/v1/messages/count_tokens')
  assert.deepEqual(upstream.calls[0]?.body, { ...request, model: 'upstream-model' })
})

test('an upstream is alive while its list of models answers', async () => {
  assert.equal(await open().isAlive(), true)
  assert.equal(await open({ baseUrl: 'http://127.0.0.1:1/v1' }).isAlive(), false)
})
