import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { callEndpoint, TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { listOf, sampleOf } from '@tollbook/testing/inference/hosted-speech'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { recordedVoices } from '@tollbook/testing/inference/recorded-voices'
import { startSpeechUpstream } from '@tollbook/testing/inference/speech-upstream'
import { createWorkerPool } from '@tollbook/workers/pool'
import { createInferenceService } from '../../../../service.ts'
import { findWavSamples } from '../../../../sound/read-wav.ts'
import { createOpenAi } from '../../../../speech/hosted/openai.ts'
import { espeakNg } from '../../../../voices/espeak-ng.ts'
import { flite } from '../../../../voices/flite.ts'
import { openVoiceCatalogue } from '../../../../voices/voice-catalogue.ts'

const signal = new AbortController().signal
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

const baseUrl = 'https://test.example'
const ports = inferencePorts({ ...recordedVoices, workers })
const service = await createInferenceService({ baseUrl, ports })
const { ask } = openService(service)
const speak = (body: object, payer: typeof TEST_PAYER | undefined = TEST_PAYER) =>
  ask('/v1/audio/speech', { method: 'POST', body, ...(payer && { payer }) })

const [installedEspeak, installedFlite] = await Promise.all([espeakNg.list(signal), flite.list(signal)])
const skipOf = (listing: typeof installedFlite) => (listing.isAvailable ? false : listing.reason)
const PLANKS = 'The birch canoe slid on the smooth planks.'

/** The handler's own answer, with its charge; other tests cover the whole path of the body. */
async function chargeOf(input: string): Promise<bigint | undefined> {
  const endpoint = service.endpoints.find(({ path }) => path === '/v1/audio/speech')
  assert.ok(endpoint)
  const provided = { input, voice: 'flite.kal', response_format: 'wav' }
  const answer = await callEndpoint(endpoint, provided, { ports })
  assert.ok(answer.kind === 'bytes')
  return answer.charge
}

test('Flite speaks mp3, wav and pcm', { skip: skipOf(installedFlite) }, async () => {
  const mp3 = await ask('/v1/audio/speech', {
    method: 'POST',
    body: { model: 'tts-1', input: PLANKS, voice: 'alloy' },
    payer: TEST_PAYER,
  })
  assert.equal(mp3.status, 200, mp3.text)
  assert.equal(mp3.headers.get('content-type'), 'audio/mpeg')
  assert.equal(mp3.headers.get('x-voice'), 'flite.slt')
  const seconds = Number(mp3.headers.get('x-audio-seconds'))
  // Some 12 words at 170 to 300 per minute.
  assert.ok(seconds > 1.5 && seconds < 5, `${seconds}`)
  const slow = await speak({ input: PLANKS, voice: { id: 'flite.slt' }, response_format: 'pcm', speed: 0.5 })
  assert.equal(slow.headers.get('content-type'), 'audio/pcm')
  const twice = Number(slow.headers.get('x-audio-seconds'))
  assert.ok(twice > 1.8 * seconds && twice < 2.2 * seconds, `${twice} for ${seconds}`)
})

test('eSpeak NG speaks its languages, and phoneme notation is spoken as text', {
  skip: skipOf(installedEspeak),
}, async () => {
  const german = await speak({ input: 'Guten Tag', voice: 'de', response_format: 'wav' })
  assert.equal(german.status, 200, german.text)
  assert.equal(german.headers.get('x-voice'), 'espeak-ng.de')
  // As phonemes it would be one short syllable.
  const word = await speak({ input: 'x', voice: 'espeak-ng.en', response_format: 'pcm' })
  for (const input of ["[[h@l'oU]]", "[[[h@l'oU]]", "[[[[[h@l'oU]]"]) {
    const phonemes = await speak({ input, voice: 'espeak-ng.en', response_format: 'pcm' })
    const seconds = Number(phonemes.headers.get('x-audio-seconds'))
    assert.ok(seconds > 2 * Number(word.headers.get('x-audio-seconds')), `${input}: ${seconds}`)
  }
})

test('eSpeak NG and Flite speak the text after a null character', {
  skip: skipOf(installedEspeak) || skipOf(installedFlite),
}, async () => {
  for (const voice of ['espeak-ng.en', 'flite.slt']) {
    const secondsOf = async (input: string) => {
      const spoken = await speak({ input, voice, response_format: 'pcm' })
      assert.equal(spoken.status, 200, spoken.text)
      return Number(spoken.headers.get('x-audio-seconds'))
    }
    assert.ok(
      (await secondsOf('yes\0 and a whole sentence after it')) > 1.5 * (await secondsOf('yes')),
      voice,
    )
  }
})

test('what cannot be spoken is rejected and not charged', { skip: skipOf(installedFlite) }, async () => {
  const { status, body } = await speak({ input: 'Привет', voice: 'flite.slt' })
  assert.equal(status, 422)
  assert.equal(body.error.code, 'cannot_be_served')
  assert.match(body.error.message, /is silent/)
})

// 0.000006 dollars per character: 7 cost 42 micro-USDC, which the gate raises to its minimum; 300 cost 1,800.
test('the metered charge is by characters, and an emoji is one', {
  skip: skipOf(installedFlite),
}, async () => {
  assert.equal(await chargeOf('Hello 😀'), 42n)
  assert.equal(await chargeOf('a word '.repeat(43).slice(0, 300)), 1800n)
})

test('the text may have 3,000 code points', async () => {
  const longest = await speak({ input: '😀'.repeat(3000), voice: 'nobody' })
  assert.match(longest.body.error.message, /^voice /)
  const { status, body } = await speak({ input: 'a'.repeat(3001), voice: 'flite.slt' })
  assert.equal(status, 400)
  assert.deepEqual([body.error.param, body.error.type], ['input', 'invalid_request_error'])
  assert.equal((await speak({ input: '  ', voice: 'flite.slt' })).status, 400)
})

test('unavailable voices, speeds, formats and fields are reported before payment', async () => {
  const { status, body } = await ask('/v1/audio/speech', {
    method: 'POST',
    body: { input: PLANKS, voice: 'flite.sltt' },
  })
  assert.equal(status, 402)
  assert.match(body.problem.detail, /^voice is not a voice of GET \/v1\/audio\/voices, such as flite\.slt, /)
  for (const [provided, param] of [
    [{ voice: 'flite.sltt' }, 'voice'],
    [{ voice: 'espeak-ng.en', speed: 0.25 }, 'speed'],
    [{ voice: 'flite.slt', speed: 5 }, 'speed'],
    [{ voice: 'flite.slt', response_format: 'opus' }, 'response_format'],
    [{ voice: 'flite.slt', instructions: 'whisper' }, 'instructions'],
  ] as const) {
    const refused = await speak({ input: PLANKS, ...provided })
    assert.equal(refused.status, 400, refused.text)
    assert.equal(refused.body.error.param, param)
  }
})

test('the listing counts the available voices', () => {
  const { description } = service.endpoints.find(({ path }) => path === '/v1/audio/speech') ?? {}
  // 131 languages of eSpeak NG in 14 voices each, and 5 voices of Flite.
  assert.match(`${description}`, /; 1,839 voices of 2 providers, /)
})

test('without an engine it is not sold', async () => {
  const absent = { id: 'flite', list: async () => ({ isAvailable: false as const, reason: 'not installed' }) }
  const voices = await openVoiceCatalogue([absent])
  const endpoint = service.endpoints.find(({ path }) => path === '/v1/audio/speech')
  assert.deepEqual(endpoint?.availability?.(ports), { isAvailable: true })
  const without = endpoint?.availability?.({ ...ports, voices })
  assert.ok(without && !without.isAvailable && without.problem.code === 'not_configured')
  // The error for a voice of the absent engine differs from that for an unknown voice.
  const [issue] =
    endpoint?.check?.({ input: 'a', voice: 'flite.slt', speed: 1 }, { ...ports, voices }, new Map()) ?? []
  assert.equal(issue?.code, 'not_configured')
})

test('a recording has correct headers', { skip: skipOf(installedEspeak) }, async () => {
  const [engine] = recordedVoices.speech.engines
  const voice = recordedVoices.voices.current().voices.find(({ id }) => id === 'espeak-ng.en')
  assert.ok(engine && voice)
  const { kind, bytes } = await engine.speak({ voice, text: 'Hello', speed: 1, format: 'wav' }, signal)
  assert.equal(kind, 'wav')
  const form = findWavSamples(bytes)
  assert.ok('frames' in form && form.frames > 5_000 && form.frames < 60_000)
})

test('the name of a voice with non-ASCII letters is percent-encoded', async (context) => {
  const upstream = await startSpeechUpstream(
    (request) => listOf('openai', request) ?? sampleOf('openai', 'mp3'),
  )
  context.after(() => upstream.close())
  const { source, engine } = createOpenAi({
    url: `${upstream.url}/v1`,
    key: 'key',
    model: 'tts-1',
    voices: ['голос'],
    timeoutMs: 10_000,
    fetch: createSafeFetch({ allowPrivateNetwork: true }),
  })
  const speech = { engines: [engine], names: new Map<string, string>() }
  const hosted = inferencePorts({ voices: await openVoiceCatalogue([source]), speech, workers })
  const answer = await openService(await createInferenceService({ baseUrl, ports: hosted })).ask(
    '/v1/audio/speech',
    { method: 'POST', body: { input: PLANKS, voice: 'openai.голос' }, payer: TEST_PAYER },
  )
  assert.equal(answer.status, 200, answer.text)
  // The letters in UTF-8 (RFC 3986 section 2.5): U+0433 is D0 B3, U+0441 is D1 81.
  assert.equal(answer.headers.get('x-voice'), 'openai.%D0%B3%D0%BE%D0%BB%D0%BE%D1%81')
})
