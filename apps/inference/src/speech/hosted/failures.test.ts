import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import {
  FRAME,
  HOSTED,
  type Hosted,
  openHosted,
  recordedOf,
  SPEECH_KEY,
  sampleOf,
  startHosted,
} from '@tollbook/testing/inference/hosted-speech'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { type SpeechAnswer, startSpeechUpstream } from '@tollbook/testing/inference/speech-upstream'
import { createWorkerPool } from '@tollbook/workers/pool'
import { createInferenceService } from '../../service.ts'
import { toWav } from '../../sound/write-wav.ts'
import { openVoiceCatalogue } from '../../voices/voice-catalogue.ts'
import type { SpeechEngine } from '../speech-engine.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

/** The response of every upstream to any speech request. */
let answer: (name: Hosted) => SpeechAnswer = (name) => sampleOf(name, 'mp3')
const upstreams = new Map<Hosted, string>()
const voices = await openVoiceCatalogue(
  await Promise.all(
    HOSTED.map(async (name) => {
      const listing = await startHosted(name)
      listing.upstream.close()
      const speaking = await startSpeechUpstream(() => answer(name))
      after(speaking.close)
      upstreams.set(name, speaking.url)
      return { id: name, list: async () => ({ isAvailable: true as const, voices: listing.voices }) }
    }),
  ),
)
const voiceOf = (name: Hosted) => voices.current().voices.find(({ provider }) => provider === name)?.id ?? ''

let engine: SpeechEngine
const speech = {
  get engines() {
    return [engine]
  },
  names: new Map<string, string>(),
}
const ports = inferencePorts({ voices, speech, workers })
const service = await createInferenceService({ baseUrl: 'https://test.example', ports })
const { ask } = openService(service)
const say = (voice: string, format = 'mp3') => {
  const body = { input: 'Hello', voice, response_format: format }
  return ask('/v1/audio/speech', { method: 'POST', body, payer: TEST_PAYER })
}

/** Buys a word of a provider that has not failed before. */
async function speak(name: Hosted, { timeoutMs = 60_000, format = 'mp3' } = {}) {
  const provider = openHosted(name, upstreams.get(name) ?? '', timeoutMs)
  engine = provider.engine
  if (name === 'piper') {
    // It knows a voice by its own list.
    const now = answer
    answer = () => ({ body: recordedOf('piper-voices') })
    await provider.source.list(new AbortController().signal)
    answer = now
  }
  return await say(voiceOf(name), format)
}

const refusals = recordedOf('refusals') as Readonly<
  Record<Hosted, Required<Pick<SpeechAnswer, 'status' | 'headers' | 'body'>>>
>
const HTML = { 'content-type': 'text/html' }
/** The response of each provider when it rejects the text. */
const REFUSED: Partial<Record<Hosted, SpeechAnswer>> = {
  azure: { status: 400, body: '' },
  google: { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'too long' } } },
  polly: { status: 400, headers: { 'x-amzn-errortype': 'TextLengthExceededException:http://a/' }, body: {} },
  elevenlabs: {
    status: 422,
    body: { detail: [{ loc: ['body', 'text'], msg: 'too long', type: 'value_error' }] },
  },
  openai: { status: 400, body: { error: { message: 'string too long', type: 'invalid_request_error' } } },
  kokoro: { status: 400, body: { detail: { error: 'validation_error', message: 'secret words' } } },
}

type Failure = readonly [what: string, status: number, answer: (name: Hosted) => SpeechAnswer]

const FAILURES: readonly Failure[] = [
  ['a key that it does not know', 502, (name) => refusals[name]],
  ['403', 502, () => ({ status: 403, body: 'secret words' })],
  ['500', 502, () => ({ status: 500, body: 'secret words' })],
  ['429', 503, () => ({ status: 429, headers: { 'retry-after': '7' }, body: 'secret words' })],
  ['half a sound', 502, (name) => ({ ...sampleOf(name, 'mp3'), how: 'half' })],
  ['a sound of unknown length', 502, (name) => ({ ...sampleOf(name, 'mp3'), how: 'unbounded' })],
  ['a page instead of sound', 502, () => ({ body: '<p>secret words</p>', headers: HTML })],
  ['nothing', 502, () => ({ body: '', headers: { 'content-type': 'audio/mpeg' } })],
  ['a redirect', 502, () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' })],
]

for (const [what, status, faulty] of FAILURES)
  test(`every provider that answers with ${what} is reported as ${status}, without its wording or key`, async () => {
    for (const name of HOSTED) {
      answer = faulty
      const refused = await speak(name)
      assert.equal(refused.status, status, `${name}: ${refused.text}`)
      assert.doesNotMatch(refused.text, /secret words|quota of|sk-nope|CUDA|127\.0\.0\.1/)
      assert.ok(!refused.text.includes(SPEECH_KEY))
      if (status === 503) assert.equal(refused.headers.get('retry-after'), '7')
    }
  })

test('every provider that does not answer in time is 504', async () => {
  answer = () => ({ body: '', how: 'never' })
  for (const name of HOSTED.filter((other) => other !== 'piper'))
    assert.equal((await speak(name, { timeoutMs: 200 })).status, 504, name)
})

test('a text that a provider rejects is 422, and caused by the text alone', async () => {
  for (const [name, refusal] of Object.entries(REFUSED) as [Hosted, SpeechAnswer][]) {
    answer = () => refusal
    const { status, body, text } = await speak(name)
    assert.deepEqual([status, body.error.code], [422, 'cannot_be_served'], `${name}: ${text}`)
    assert.doesNotMatch(text, /too long|secret words/)
  }
  // Amazon reports too many calls by 400.
  answer = () => ({ status: 400, headers: { 'x-amzn-errortype': 'ThrottlingException' }, body: {} })
  assert.equal((await speak('polly')).status, 503)
})

test('sound that turns out to be invalid is rejected', async () => {
  const received = { 'content-type': 'audio/mpeg' }
  answer = () => ({ body: Buffer.concat([FRAME, Buffer.from('<html>')]), headers: received })
  assert.equal((await speak('azure')).status, 502)
  answer = () => ({ body: Buffer.from('ID3 and no sound'), headers: received })
  assert.equal((await speak('openai')).status, 502)
  // An mp3 instead of raw samples, with its content type and without any.
  answer = () => ({ body: FRAME, headers: received })
  assert.equal((await speak('kokoro', { format: 'pcm' })).status, 502)
  assert.equal((await speak('kokoro', { format: 'wav' })).status, 502)
  answer = () => ({ body: Buffer.from('RIFF....WAVE'), headers: received })
  assert.equal((await speak('openai', { format: 'wav' })).status, 502)
  answer = () => ({ body: toWav(new Uint8Array(48_000), 24_000), headers: received })
  assert.equal((await speak('openai', { format: 'wav' })).status, 422)
})

test('speech that a provider cut at its limit is not sold', async () => {
  // Azure ends at 600 seconds: at 24,000 samples of 2 bytes a second these are 28,800,000 bytes.
  const pcm = new Uint8Array(28_800_000).fill(0x40)
  answer = () => ({ body: pcm, headers: { 'content-type': 'audio/basic' } })
  const { status, body } = await speak('azure', { format: 'pcm' })
  assert.equal(status, 422)
  assert.match(body.error.message, /longer than 600 seconds/)
})

test('a provider that fails repeatedly is not called, and its voices are 503 before payment', async () => {
  answer = () => ({ status: 500, body: '' })
  engine = openHosted('openai', upstreams.get('openai') ?? '').engine
  for (let time = 0; time < 5; time++) assert.equal((await say('openai.alloy')).status, 502)
  const endpoint = service.endpoints.find(({ path }) => path === '/v1/audio/speech')
  const [issue] = endpoint?.check?.({ voice: 'openai.alloy', speed: 1 }, ports, new Map()) ?? []
  assert.equal(issue?.code, 'unavailable')
  assert.equal((await say('openai.alloy')).status, 503)
  // There is no other provider, so nothing is sold for now.
  const availability = endpoint?.availability?.(ports)
  assert.ok(availability && !availability.isAvailable)
  assert.deepEqual([availability.problem.code, availability.problem.retryAfterSeconds], ['unavailable', 15])
})
