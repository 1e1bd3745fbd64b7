import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { runFor } from '@tollbook/flow/owner'
import { gather } from '@tollbook/testing/gather'
import {
  sendJson,
  sendPieces,
  startChatUpstream,
  type TestUpstream,
  toChunk,
  toCompletion,
  toEvent,
  type UpstreamAnswer,
} from '@tollbook/testing/models/chat-upstream'
import { ModelBusy, ModelFailed, ModelRefused } from '../failure.ts'
import { openTiers } from './open-tiers.ts'
import { tierFile } from './tier-file.ts'
import { createUpstreamHealth } from './upstream-health.ts'

const NEVER = new AbortController().signal
const QUESTION = { messages: [{ role: 'user', content: 'hello there' }] }
const FINE = sendJson(toCompletion({ content: 'fine' }))

let first: TestUpstream
let second: TestUpstream
before(async () => {
  first = await startChatUpstream()
  second = await startChatUpstream()
})
beforeEach(() => {
  for (const upstream of [first, second]) {
    upstream.calls.splice(0)
    upstream.answerWith(FINE)
  }
})
after(() => {
  first.close()
  second.close()
})

async function openTier(
  strategy: 'fallback' | 'weighted' = 'fallback',
  draws: number[] = [],
  times: { readonly first_token_ms?: number; readonly total_ms?: number } = {},
) {
  const upstreams = [first, second].map(({ url }, at) => ({
    base_url: url,
    model: 'upstream-model',
    weight: at === 0 ? 1 : 3,
    ...(at === 0 && times),
  }))
  const file = tierFile.parse({ tiers: { one: { strategy, upstreams } } })
  const tiers = await openTiers(file, { userAgent: 'test', random: () => draws.shift() ?? 0 })
  const tier = tiers.get('one')?.model
  assert.ok(tier)
  return tier
}
const counts = () => [first.calls.length, second.calls.length]

test('the next upstream answers if one fails or is busy, and an upstream that requested a pause is not called', async () => {
  const tier = await openTier()
  first.answerWith(sendJson({}, 500))
  assert.equal((await tier.complete(QUESTION, NEVER)).choices[0]?.message.content, 'fine')
  assert.deepEqual(counts(), [1, 1])
  first.answerWith(sendJson({}, 429, { 'retry-after': '60' }))
  await tier.complete(QUESTION, NEVER)
  await tier.complete(QUESTION, NEVER)
  assert.deepEqual(counts(), [2, 3])
  assert.equal(tier.isReady(), true)
  second.answerWith(sendJson({}, 429, { 'retry-after': '30' }))
  await assert.rejects(tier.complete(QUESTION, NEVER), ModelBusy)
  assert.equal(tier.isReady(), false)
  assert.ok(tier.pauseSeconds() > 20 && tier.pauseSeconds() <= 30)
})

test('if one upstream refuses a request, the others are not tried', async () => {
  const tier = await openTier()
  first.answerWith(sendJson({}, 400))
  await assert.rejects(tier.complete(QUESTION, NEVER), ModelRefused)
  assert.deepEqual(counts(), [1, 0])
})

test('a stream fails over to another upstream before the first content, and never after it', async () => {
  const tier = await openTier()
  second.answerWith(sendPieces([toEvent(toChunk({ content: 'two' })), toEvent(toChunk({}, 'stop'))]))
  first.answerWith(sendPieces([toEvent(toChunk({ role: 'assistant', content: '' }))]))
  const chunks = await gather(await tier.stream(QUESTION, NEVER))
  assert.equal(chunks[0]?.choices[0]?.delta?.content, 'two')
  first.answerWith(sendPieces([toEvent(toChunk({ content: 'one' }))]))
  await assert.rejects(gather(await tier.stream(QUESTION, NEVER)), ModelFailed)
  assert.deepEqual(counts(), [2, 1])
})

const SILENT: UpstreamAnswer = () => {}
const BROKEN: Readonly<Record<string, UpstreamAnswer>> = {
  'never answers': SILENT,
  'starts a stream and never continues': sendPieces([': wait\n\n'], false),
  'closes its connection': (_, response) => void response.destroy(),
  'closes within its first event': async (call, response) => {
    await sendPieces(['data: {"choi'], false)(call, response)
    response.destroy()
  },
  'sends garbage': (_, response) => void response.end('\u0000garbage'),
  'sends an event that is not valid JSON': sendPieces(['data: <html>\n\n']),
  'sends an error as its first event': sendPieces([toEvent({ error: { message: 'no' } })]),
  'is overloaded': sendJson({}, 503, { 'retry-after': '3' }),
  'rejects the key': sendJson({}, 401),
}
for (const [how, answer] of Object.entries(BROKEN)) {
  test(`the next upstream answers if one ${how}, whole and streamed`, async () => {
    // Only these cases wait for a timeout.
    const isSilent = /never/.test(how)
    const tier = await openTier('fallback', [], isSilent ? { first_token_ms: 200, total_ms: 400 } : {})
    first.answerWith(answer)
    assert.equal((await tier.complete(QUESTION, NEVER)).choices[0]?.message.content, 'fine')
    second.answerWith(sendPieces([toEvent(toChunk({ content: 'two' })), toEvent(toChunk({}, 'stop'))]))
    const chunks = await gather(await tier.stream(QUESTION, NEVER))
    assert.equal(chunks[0]?.choices[0]?.delta?.content, 'two')
    assert.deepEqual(counts(), [2, 2])
  })
}

test('if all upstreams are down, five calls fail, and then no upstream is called', async () => {
  const tier = await openTier()
  for (const upstream of [first, second]) upstream.answerWith(sendJson({}, 500))
  for (let at = 0; at < 5; at += 1) {
    assert.equal(tier.isReady(), true)
    await assert.rejects(tier.complete(QUESTION, NEVER), ModelFailed)
  }
  assert.deepEqual(counts(), [5, 5])
  assert.equal(tier.isReady(), false)
  await assert.rejects(tier.complete(QUESTION, NEVER), (error) => {
    assert.ok(error instanceof ModelBusy)
    return error.retryAfterSeconds >= 1 && error.retryAfterSeconds <= 15
  })
  assert.deepEqual(counts(), [5, 5])
})

test('weights choose the first upstream: 1 of 4 and 3 of 4', async () => {
  // The random number times the sum of weights, 4, falls into [0, 1) or [1, 4).
  const tier = await openTier('weighted', [0.24, 0, 0.25, 0, 0.99, 0])
  await tier.complete(QUESTION, NEVER)
  assert.deepEqual(counts(), [1, 0])
  await tier.complete(QUESTION, NEVER)
  await tier.complete(QUESTION, NEVER)
  assert.deepEqual(counts(), [1, 2])
})

test('a caller that disconnects is not a failure of the upstream, and no other upstream is tried', async () => {
  const tier = await openTier()
  const left = new AbortController()
  first.answerWith(() => left.abort(new Error('gone')))
  await assert.rejects(tier.complete(QUESTION, left.signal), /gone/)
  assert.deepEqual(counts(), [1, 0])
})

test('five failures in a row open the breaker for 15 s, a further one for 30 s, and a success closes it', () => {
  let nowMs = 0
  const health = createUpstreamHealth(async () => true, { nowMs: () => nowMs })
  const fail = () => health.fail(new ModelFailed('no'), Symbol('a caller'))
  for (let at = 0; at < 4; at++) fail()
  assert.equal(health.isReady(), true)
  fail()
  assert.equal(health.pauseSeconds(), 15)
  assert.equal(health.isReady(), false)
  nowMs = 15_000
  assert.equal(health.isReady(), true)
  fail()
  assert.equal(health.pauseSeconds(), 30)
  nowMs = 45_000
  health.succeed()
  fail()
  assert.equal(health.isReady(), true)
})

test('failures caused by one caller never open the breaker of a tier for others, whole or streamed', async () => {
  const tier = await openTier()
  for (const answer of [sendPieces([]), sendPieces([toEvent(toChunk({ content: 'Hi' }))])]) {
    first.answerWith(answer)
    second.answerWith(answer)
    for (let at = 0; at < 8; at++)
      await assert.rejects(runFor('one payer', async () => gather(await tier.stream(QUESTION, NEVER))))
    for (let at = 0; at < 8; at++)
      await assert.rejects(runFor('one payer', () => tier.complete(QUESTION, NEVER)))
  }
  assert.equal(tier.isReady(), true)
})

test('a probe finds a dead upstream before any call, and notices when it is alive again', async () => {
  let nowMs = 0
  let isThere = false
  const health = createUpstreamHealth(async () => isThere, { nowMs: () => nowMs })
  await health.probe()
  assert.equal(health.isReady(), false)
  isThere = true
  assert.equal(health.isReady(), false)
  nowMs = 15_000
  // This call starts the probe whose result a later call uses.
  assert.equal(health.isReady(), false)
  await health.probe()
  assert.equal(health.isReady(), true)
})
