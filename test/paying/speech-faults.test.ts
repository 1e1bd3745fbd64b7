import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { speech } from '@tollbook/inference/endpoints/v1/audio/speech/endpoint'
import { openVoiceCatalogue } from '@tollbook/inference/voices/voice-catalogue'
import { listOf, openHosted, sampleOf } from '@tollbook/testing/inference/hosted-speech'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { type SpeechAnswer, startSpeechUpstream } from '@tollbook/testing/inference/speech-upstream'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { createWorkerPool } from '@tollbook/workers/pool'
import OpenAI, { APIError } from 'openai'

/** Next answers of a provider of voices; the last one repeats. */
let answers: SpeechAnswer[] = []
const upstream = await startSpeechUpstream((request) => {
  const listed = listOf('openai', request)
  if (listed) return listed
  const [next = sampleOf('openai', 'mp3'), ...rest] = answers
  answers = rest
  return next
})
const provider = openHosted('openai', upstream.url)
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })

let shop: Shop
let payer: Customer
before(async () => {
  const voices = await openVoiceCatalogue([provider.source], { timeoutMs: 60_000, retryMs: 0 })
  // On a slow machine the first request for the voices may exceed a limit of the client.
  while (voices.current().notes.length > 0) await voices.refresh()
  const desk = { engines: [provider.engine], names: new Map<string, string>() }
  shop = await openShop({ endpoints: [speech], ports: inferencePorts({ voices, speech: desk, workers }) })
  payer = await shop.newPayer()
})
after(async () => {
  await shop?.close()
  await workers.close()
  upstream.close()
})

const openai = () =>
  new OpenAI({
    apiKey: 'unused',
    baseURL: `${shop.seller.url}/v1`,
    maxRetries: 0,
    fetch: shop.stockClient(payer).over(fetch),
  })
const speak = () => openai().audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello' })

const SOUND = sampleOf('openai', 'mp3')
const ISSUES: readonly (readonly [status: number, answer: SpeechAnswer])[] = [
  [502, { status: 401, body: '' }],
  [502, { ...SOUND, how: 'half' }],
  [422, { status: 400, body: {} }],
  [502, { ...SOUND, how: 'unbounded' }],
  [502, { body: '<p>no sound</p>', headers: { 'content-type': 'text/html' } }],
  [422, { status: 400, body: {} }],
  [502, { body: '', headers: { 'content-type': 'audio/mpeg' } }],
  [502, { status: 500, body: '' }],
  [503, { status: 429, headers: { 'retry-after': '1' }, body: '' }],
]

test('no failure of the provider charges the openai package, and its next call is sold', async () => {
  const before = await shop.balanceOf(payer.address)
  const sold = await speak()
  assert.equal(sold.headers.get('x-voice'), 'openai.alloy')
  assert.deepEqual(Buffer.from(await sold.arrayBuffer()), Buffer.from(SOUND.body as Uint8Array))
  const paid = await shop.balanceOf(payer.address)
  // The listed 0.018 dollars.
  assert.equal(before - paid, 18_000n)
  for (const [status, answer] of ISSUES) {
    answers = [answer]
    const error: unknown = await speak().catch((reason: unknown) => reason)
    assert.ok(error instanceof APIError, `${error}`)
    assert.equal(error.status, status)
  }
  assert.equal(await shop.balanceOf(payer.address), paid)
  assert.equal(await shop.earned(), 18_000n)
})
