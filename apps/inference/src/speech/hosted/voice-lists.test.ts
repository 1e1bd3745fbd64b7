import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { HOSTED, type Hosted, openHosted, startHosted } from '@tollbook/testing/inference/hosted-speech'
import { startSpeechUpstream } from '@tollbook/testing/inference/speech-upstream'
import { type Voice, voice as voiceSchema } from '../../voices/voice.ts'

const signal = new AbortController().signal

async function open(...[name, format]: Parameters<typeof startHosted>) {
  const opened = await startHosted(name, format)
  after(opened.upstream.close)
  return opened
}

const ids = (voices: readonly Voice[]) => voices.map(({ id }) => id)

test('the documented list of every provider becomes voices of the catalogue', async () => {
  const listed: Partial<Record<Hosted, readonly Voice[]>> = {}
  for (const name of HOSTED) {
    const { voices, upstream } = await open(name)
    for (const one of voices) assert.deepEqual(voiceSchema.parse(one), one)
    assert.equal(new Set(ids(voices)).size, voices.length)
    for (const { id } of voices) assert.ok(id.startsWith(`${name}.`))
    listed[name] = voices
    assert.equal(upstream.asked.length, 1)
  }
  const {
    azure = [],
    google = [],
    polly = [],
    elevenlabs = [],
    openai = [],
    kokoro = [],
    piper = [],
  } = listed
  const [jenny, multilingual, , yunxi] = azure
  assert.deepEqual(
    [jenny?.id, jenny?.language, jenny?.gender, jenny?.styles.length],
    ['azure.en-US-JennyNeural', 'en-US', 'female', 14],
  )
  assert.equal(multilingual?.languages.length, 14)
  assert.deepEqual([yunxi?.language, yunxi?.gender], ['zh-CN', 'male'])
  assert.deepEqual(
    google.map(({ id, language, gender, model, sample_rate }) => [id, language, gender, model, sample_rate]),
    [
      ['google.es-ES-Standard-A', 'es-ES', 'female', 'Standard', 24_000],
      ['google.ja-JP-Standard-A', 'ja-JP', 'female', 'Standard', 22_050],
      ['google.pt-BR-Standard-A', 'pt-BR', 'female', 'Standard', 24_000],
    ],
  )
  // The example names no engines, so that it is the first one: standard.
  assert.deepEqual(ids(polly), ['polly.standard.Emma', 'polly.standard.Brian', 'polly.standard.Amy'])
  const [rachel] = elevenlabs
  assert.deepEqual(
    [rachel?.id, rachel?.name, rachel?.language, rachel?.gender, rachel?.styles],
    ['elevenlabs.21m00Tcm4TlvDq8ikWAM', 'Rachel', 'en-US', 'female', ['expressive']],
  )
  assert.match(`${rachel?.sample_url}`, /^https:.*\.mp3$/)
  assert.deepEqual(ids(openai), ['openai.alloy', 'openai.verse'])
  // VOICES.md: 20 American, 8 British, 5 Japanese, 8 Chinese, 3 Spanish, 1 French, 4 Hindi, 2 Italian, 3 Brazilian.
  assert.equal(kokoro.length, 54)
  const count = (tag: string) => kokoro.filter(({ language }) => language === tag).length
  assert.deepEqual(
    ['en-US', 'en-GB', 'ja', 'zh', 'es', 'fr-FR', 'hi', 'it', 'pt-BR'].map(count),
    [20, 8, 5, 8, 3, 1, 4, 2, 3],
  )
  assert.deepEqual(
    kokoro
      .filter(({ id }) => id === 'kokoro.bm_fable')
      .map(({ name, gender, hosted }) => [name, gender, hosted]),
    [['fable', 'male', true]],
  )
  assert.deepEqual(ids(piper), [
    'piper.en_US-lessac-medium',
    ...['prudence', 'spike', 'obadiah', 'poppy'].map((speaker) => `piper.en_GB-semaine-medium.${speaker}`),
  ])
})

test('Google voices that also need a model name are omitted', async () => {
  const upstream = await startSpeechUpstream(() => ({
    body: {
      voices: [
        { name: 'Achernar', languageCodes: ['en-US'], ssmlGender: 'FEMALE', naturalSampleRateHertz: 24_000 },
        { name: 'en-US-Chirp3-HD-Achernar', languageCodes: ['en-US'], naturalSampleRateHertz: 24_000 },
      ],
    },
  }))
  after(upstream.close)
  const listing = await openHosted('google', upstream.url).source.list(signal)
  assert.ok(listing.isAvailable)
  assert.deepEqual(
    listing.voices.map(({ id, model, gender }) => [id, model, gender]),
    [['google.en-US-Chirp3-HD-Achernar', 'Chirp3-HD', null]],
  )
})

test('lists of several pages are read to their end', async () => {
  const upstream = await startSpeechUpstream(({ path }) => {
    const query = new URL(path, 'http://a').searchParams
    const isSecond = query.has('NextToken') || query.has('next_page_token')
    const reported = [query.get('NextToken'), query.get('next_page_token')].join('')
    if (isSecond) assert.equal(reported, 'a+/=')
    return path.startsWith('/v1/voices')
      ? {
          body: {
            Voices: [
              {
                Id: isSecond ? 'Amy' : 'Zhiyu',
                Name: 'Any',
                Gender: 'Female',
                LanguageCode: 'cmn-CN',
                SupportedEngines: ['neural', 'standard'],
              },
            ],
            ...(!isSecond && { NextToken: 'a+/=' }),
          },
        }
      : {
          body: {
            voices: [{ voice_id: isSecond ? 'two' : 'one', name: 'Any' }],
            has_more: !isSecond,
            next_page_token: isSecond ? null : 'a+/=',
          },
        }
  })
  after(upstream.close)
  const list = async (name: Hosted) => {
    const listing = await openHosted(name, upstream.url).source.list(signal)
    assert.ok(listing.isAvailable)
    return listing.voices
  }
  const voices = await list('polly')
  // A voice of two engines is two voices; `cmn` is converted to its canonical form (RFC 5646 section 4.5).
  assert.deepEqual(ids(voices), [
    'polly.neural.Zhiyu',
    'polly.standard.Zhiyu',
    'polly.neural.Amy',
    'polly.standard.Amy',
  ])
  assert.deepEqual(
    voices.slice(0, 2).map(({ language, sample_rate }) => [language, sample_rate]),
    [
      ['zh-CN', 24_000],
      ['zh-CN', 22_050],
    ],
  )
  assert.deepEqual(ids(await list('elevenlabs')), ['elevenlabs.one', 'elevenlabs.two'])
})

test('Kokoro lists names in either form, and OpenAI those that it documents', async () => {
  const older = await startSpeechUpstream(({ path }) =>
    path === '/v1/audio/voices' ? { body: { voices: ['af_sky', 'jm_kumo'] } } : { status: 403, body: {} },
  )
  after(older.close)
  const listing = await openHosted('kokoro', older.url).source.list(signal)
  assert.ok(listing.isAvailable)
  assert.deepEqual(ids(listing.voices), ['kokoro.af_sky', 'kokoro.jm_kumo'])
  // A key that may not list models can still speak.
  const openai = await openHosted('openai', older.url).source.list(signal)
  assert.ok(openai.isAvailable && openai.voices.length === 2)
})
