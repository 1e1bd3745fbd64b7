import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOSTED, startHosted } from '@tollbook/testing/inference/hosted-speech'
import { recordedVoices } from '@tollbook/testing/inference/recorded-voices'
import type { VoiceList } from '../voices/voice-catalogue.ts'
import { chooseVoice } from './choose-voice.ts'

/** The recorded and documented voices of all nine providers. */
const recorded = recordedVoices.voices.current()
const hosted = await Promise.all(
  HOSTED.map(async (name) => {
    const { upstream, voices } = await startHosted(name)
    upstream.close()
    return voices
  }),
)
const all = [...recorded.voices, ...hosted.flat()].toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** The voices of some of the providers. */
function listOf(...names: readonly string[]): VoiceList {
  const voices = all.filter(({ provider }) => names.includes(provider))
  return {
    voices,
    notes: [],
    providers: names.map((id) => ({ id, voices: 1, languages: 1, available: true })),
  }
}
const NINE = [...new Set(all.map(({ provider }) => provider))]

const choose = (requested: string, names: readonly string[], ready = names) => {
  const chosen = chooseVoice(requested, { list: listOf(...names), isReady: (id) => ready.includes(id) })
  return 'voice' in chosen ? chosen.voice.id : chosen.issue.detail
}

test('nine providers have voices, each found by its id', () => {
  assert.equal(NINE.length, 9)
  for (const { id } of all) assert.equal(choose(id, NINE), id)
})

// https://platform.openai.com/docs/guides/text-to-speech#voice-options
const NAMES = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'nova',
  'onyx',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
]

test('each name of the dialect is a voice with any single English provider', () => {
  for (const provider of NINE.filter((name) => name !== 'google'))
    for (const name of NAMES) {
      const id = choose(name, [provider])
      assert.ok(id.startsWith(`${provider}.`), `${name}: ${id}`)
    }
  // The documented sample of Google has no English voice.
  assert.match(choose('nova', ['google']), /^is not a voice/)
  assert.equal(choose('nova', ['azure']), 'azure.en-US-JennyMultilingualNeural')
  assert.equal(choose('nova', ['elevenlabs']), 'elevenlabs.21m00Tcm4TlvDq8ikWAM')
})

test('the voice with that exact name takes precedence, then one that is available', () => {
  assert.equal(choose('alloy', NINE), 'openai.alloy')
  assert.equal(choose('fable', NINE), 'kokoro.bm_fable')
  const local = ['espeak-ng', 'flite']
  assert.equal(choose('alloy', NINE, local), 'flite.slt')
  assert.equal(choose('alloy', NINE, ['espeak-ng']), 'espeak-ng.en-US.f3')
  assert.equal(choose('alloy', NINE, ['polly']), 'polly.standard.Amy')
  // If none is available it is the first of all, so that the caller learns which is missing.
  assert.equal(choose('alloy', NINE, []), 'openai.alloy')
})

test('a language selects its first available voice', () => {
  assert.equal(choose('ja', NINE), 'espeak-ng.ja')
  assert.equal(choose('ja', NINE, ['google', 'kokoro']), 'google.ja-JP-Standard-A')
  assert.equal(choose('ga-IE', NINE), 'azure.ga-IE-OrlaNeural')
  assert.equal(choose('ZH-cn', NINE), 'azure.zh-CN-YunxiNeural')
})

test('for an unknown voice the error suggests those with the nearest ids or names', () => {
  assert.match(choose('Rachael', NINE), /such as elevenlabs\.21m00Tcm4TlvDq8ikWAM, /)
  assert.match(choose('en-US-JenyNeural', NINE), /such as azure\.en-US-JennyNeural, /)
  // Names of the dialect that speak here are suggested like voices, and nothing that is not alike.
  assert.equal(choose('shimer', NINE, []), 'is not a voice of GET /v1/audio/voices, such as shimmer')
  assert.equal(choose('bogus-voice-99', NINE), 'is not a voice of GET /v1/audio/voices')
  assert.equal(choose('constructor', []), 'is not a voice of GET /v1/audio/voices')
})

test("an operator's name for a voice of a provider that has not answered yet is reported as such", () => {
  const list = {
    voices: [],
    notes: [],
    providers: [{ id: 'piper', voices: 0, languages: 0, available: false }],
  }
  const chosen = chooseVoice('mine', { list, names: new Map([['mine', 'piper.en_US-lessac-medium']]) })
  assert.ok('issue' in chosen && chosen.issue.code === 'not_configured')
})
