import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ConfigError } from '@tollbook/flow/config-error'
import { loadConfig } from '@tollbook/runtime/config'
import { type Hosted, listOf, recordedOf, SPEECH_KEY } from '@tollbook/testing/inference/hosted-speech'
import { type SpeechAnswer, startSpeechUpstream } from '@tollbook/testing/inference/speech-upstream'
import { checkSpeech } from './check-speech.ts'

async function start(name: Hosted, answer?: SpeechAnswer) {
  const upstream = await startSpeechUpstream(
    (request) => answer ?? listOf(name, request) ?? assert.fail('nothing is spoken'),
  )
  after(upstream.close)
  return upstream
}

test('each configured provider is queried for its voices, and synthesizes no speech', async () => {
  const refusals = recordedOf('refusals') as Readonly<Record<Hosted, SpeechAnswer>>
  const [azure, google, polly, eleven, openai, kokoro, piper] = await Promise.all([
    start('azure'),
    start('google', refusals.google),
    start('polly'),
    start('elevenlabs', refusals.elevenlabs),
    start('openai'),
    start('kokoro'),
    start('piper', { body: { busy: true } }),
  ])
  const config = loadConfig({
    TOLLBOOK_AZURE_SPEECH_URL: azure?.url,
    TOLLBOOK_AZURE_SPEECH_KEY: SPEECH_KEY,
    TOLLBOOK_GOOGLE_SPEECH_URL: google?.url,
    TOLLBOOK_GOOGLE_SPEECH_KEY: SPEECH_KEY,
    TOLLBOOK_POLLY_REGION: 'eu-west-1',
    TOLLBOOK_POLLY_URL: polly?.url,
    TOLLBOOK_POLLY_ACCESS_KEY: 'AKIDEXAMPLE',
    TOLLBOOK_POLLY_SECRET_KEY: SPEECH_KEY,
    TOLLBOOK_ELEVENLABS_URL: eleven?.url,
    TOLLBOOK_ELEVENLABS_KEY: SPEECH_KEY,
    TOLLBOOK_OPENAI_SPEECH_URL: `${openai?.url}/v1`,
    TOLLBOOK_OPENAI_SPEECH_VOICES: 'alloy, verse',
    TOLLBOOK_KOKORO_URL: `${kokoro?.url}/v1`,
    TOLLBOOK_PIPER_URL: piper?.url,
  })
  const found = await checkSpeech(config)
  assert.ok(!JSON.stringify(found).includes(SPEECH_KEY))
  assert.deepEqual(
    found.slice(2).map(({ verdict, text }) => `${verdict}: ${text}`),
    [
      'ok: azure lists 4 voices',
      'failed: google: The speech upstream google answered 400.',
      'ok: polly lists 3 voices',
      'failed: elevenlabs: The speech upstream elevenlabs answered 401.',
      'ok: openai lists 2 voices',
      'ok: kokoro lists 54 voices',
      'failed: piper: The speech upstream piper answered with something other than a list of voices.',
    ],
  )
})

test('without settings only the programs of this machine are reported', async () => {
  const found = await checkSpeech(loadConfig({}))
  assert.deepEqual(
    found.map(({ text }) => /^(espeak-ng|flite)/.exec(text)?.[0]),
    ['espeak-ng', 'flite'],
  )
  assert.ok(found.every(({ verdict }) => verdict !== 'failed'))
})

test('an incomplete configuration of a provider is a settings error', async () => {
  for (const provided of [
    { TOLLBOOK_AZURE_SPEECH_KEY: 'k' },
    { TOLLBOOK_AZURE_SPEECH_URL: 'https://a.example' },
    { TOLLBOOK_POLLY_ACCESS_KEY: 'k' },
    { TOLLBOOK_POLLY_ACCESS_KEY: 'k', TOLLBOOK_POLLY_SECRET_KEY: 'k' },
  ])
    await assert.rejects(checkSpeech(loadConfig(provided)), ConfigError)
})
