import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ConfigError } from '@tollbook/flow/config-error'
import { loadConfig } from '@tollbook/runtime/config'
import { startHosted } from '@tollbook/testing/inference/hosted-speech'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { openAudio } from './open-audio.ts'

// Models that somebody installed in ./data must not change these tests.
const NO_MODELS = temporaryFolder('open-audio')
const open = (environment: NodeJS.ProcessEnv) =>
  openAudio(loadConfig({ TOLLBOOK_DATA_DIR: NO_MODELS, ...environment }), 'https://test.example')

test("configured voices are added to those of the machine's programs", async () => {
  const { upstream } = await startHosted('piper')
  after(upstream.close)
  const { voices, speech } = await open({
    TOLLBOOK_PIPER_URL: upstream.url,
    TOLLBOOK_VOICE_NAMES: 'narrator=piper.en_US-lessac-medium',
  })
  const { providers, voices: listed } = voices.current()
  assert.deepEqual(
    providers.map(({ id }) => id),
    ['espeak-ng', 'flite', 'piper'],
  )
  assert.deepEqual(
    speech.engines.map(({ provider }) => provider),
    ['espeak-ng', 'flite', 'piper'],
  )
  assert.equal(listed.filter(({ provider }) => provider === 'piper').length, 5)
  assert.equal(speech.names.get('narrator'), 'piper.en_US-lessac-medium')
})

test('an unknown voice name stops the start, but not one of an unavailable provider', async () => {
  await assert.rejects(open({ TOLLBOOK_VOICE_NAMES: 'narrator=nobody.at-all' }), ConfigError)
  const { voices } = await open({
    TOLLBOOK_PIPER_URL: 'http://127.0.0.1:1',
    TOLLBOOK_VOICE_NAMES: 'narrator=piper.en_US-lessac-medium',
  })
  const { providers, notes } = voices.current()
  assert.equal(providers.find(({ id }) => id === 'piper')?.available, false)
  assert.ok(notes.includes('piper: The speech upstream piper cannot be reached.'))
})
