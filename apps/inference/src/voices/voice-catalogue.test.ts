import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildListing } from '@tollbook/endpoints/documents/listing'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { createInferenceService } from '../service.ts'
import type { SpeechEngine } from '../speech/speech-engine.ts'
import type { Voice } from './voice.ts'
import { openVoiceCatalogue } from './voice-catalogue.ts'
import type { VoiceListing } from './voice-source.ts'

const voiceOf = (id: string, language = 'en-US'): Voice => ({
  id,
  provider: id.split('.')[0] ?? '',
  name: id,
  language,
  languages: [language],
  gender: null,
  model: null,
  sample_rate: 24_000,
  hosted: false,
  styles: [],
  sample_url: null,
})
const listed = (...ids: readonly string[]): VoiceListing => ({
  isAvailable: true,
  voices: ids.map((id) => voiceOf(id)),
})
const FAILED: VoiceListing = { isAvailable: false, reason: 'it answered 500' }

/** A catalogue of two providers, whose lists the test controls and counts. */
async function open() {
  const world = {
    nowMs: 0,
    near: listed('near.one'),
    far: listed('far.one', 'far.two'),
    requested: 0,
    notes: [] as string[],
  }
  const catalogue = await openVoiceCatalogue(
    [
      { id: 'near', list: async () => world.near },
      {
        id: 'far',
        list: async () => {
          world.requested += 1
          return world.far
        },
      },
    ],
    { nowMs: () => world.nowMs, onUnavailable: (note) => world.notes.push(note) },
  )
  const idsOf = () => catalogue.current().voices.map(({ id }) => id)
  const isAvailable = () => catalogue.current().providers.find(({ id }) => id === 'far')?.available
  return { world, catalogue, idsOf, isAvailable }
}

test('a list is refreshed when it is an hour old, without anybody waiting for it', async () => {
  const { world, catalogue, idsOf } = await open()
  world.far = listed('far.three')
  world.nowMs = 3_599_999
  assert.deepEqual(idsOf(), ['far.one', 'far.two', 'near.one'])
  assert.equal(world.requested, 1)
  world.nowMs = 3_600_000
  assert.deepEqual(idsOf(), ['far.one', 'far.two', 'near.one'])
  await catalogue.refresh()
  assert.deepEqual(idsOf(), ['far.three', 'near.one'])
  assert.equal(world.requested, 2)
})

test('a provider that fails keeps its last list, is reported as unavailable, and is retried each minute', async () => {
  const { world, catalogue, idsOf, isAvailable } = await open()
  world.far = FAILED
  world.nowMs += 3_600_000
  await catalogue.refresh()
  assert.deepEqual(idsOf(), ['far.one', 'far.two', 'near.one'])
  assert.equal(isAvailable(), false)
  assert.deepEqual(catalogue.current().notes, ['far: it answered 500'])
  assert.equal(world.requested, 2)
  world.far = listed('far.four')
  world.nowMs += 59_999
  await catalogue.refresh()
  assert.equal(world.requested, 2)
  world.nowMs += 1
  await catalogue.refresh()
  assert.deepEqual([idsOf(), isAvailable(), world.requested], [['far.four', 'near.one'], true, 3])
  assert.deepEqual(world.notes, ['far: it answered 500'])
})

test('a list that does not arrive, or throws, does not block the others', async () => {
  const catalogue = await openVoiceCatalogue(
    [
      { id: 'near', list: async () => listed('near.one') },
      {
        id: 'late',
        list: async (signal) => {
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          return FAILED
        },
      },
      { id: 'wrong', list: () => Promise.reject(new Error('no such thing')) },
    ],
    { timeoutMs: 20 },
  )
  const { voices, providers } = catalogue.current()
  assert.equal(voices.length, 1)
  assert.deepEqual(
    providers.map(({ available }) => available),
    [true, false, false],
  )
})

const engineOf = (provider: string): SpeechEngine => ({
  provider,
  speeds: { min: 0.5, max: 2 },
  speak: () => assert.fail('nothing is spoken here'),
})

test('the catalogue, the listing and the challenge agree, also after a refresh', async () => {
  const { world, catalogue } = await open()
  const speech = { engines: [engineOf('near'), engineOf('far')], names: new Map() }
  const ports = inferencePorts({ voices: catalogue, speech })
  const service = await createInferenceService({ baseUrl: 'https://test.example', ports })
  const { ask } = openService(service)
  const received = async () => {
    const { total, providers } = (await ask('/v1/audio/voices')).body
    const inListing = buildListing(service).find(({ resource }) => resource.endsWith('/audio/speech'))
    const texts = [
      inListing?.description ?? '',
      ...(await Promise.all(['/llms.txt', '/openapi.json', '/'].map(async (path) => (await ask(path)).text))),
    ]
    const counts = texts.map((text) =>
      / from 0\.5 to 2; (\d+) voices? of (\d+) providers?/.exec(text)?.slice(1).map(Number),
    )
    return { total, providers: providers.length, counts }
  }
  const same = (...count: readonly [number, number]) => ({
    total: count[0],
    providers: 2,
    counts: [count, count, count, count],
  })
  assert.deepEqual(await received(), same(3, 2))
  world.far = listed('far.one', 'far.two', 'far.three', 'far.four')
  world.nowMs += 3_600_000
  await catalogue.refresh()
  assert.deepEqual(await received(), same(5, 2))
  world.far = FAILED
  world.nowMs += 3_600_000
  await catalogue.refresh()
  assert.deepEqual(await received(), same(5, 2))
})

test('a voice of a provider that does not answer is 503 before payment, and one of another is sold', async () => {
  const { world, catalogue } = await open()
  const speech = { engines: [engineOf('near'), engineOf('far')], names: new Map([['mine', 'far.two']]) }
  const ports = inferencePorts({ voices: catalogue, speech })
  const { ask } = openService(await createInferenceService({ baseUrl: 'https://test.example', ports }))
  world.far = FAILED
  world.nowMs += 3_600_000
  await catalogue.refresh()
  for (const voice of ['far.one', 'mine']) {
    const body = { input: 'Hello', voice }
    const unpaid = await ask('/v1/audio/speech', { method: 'POST', body })
    assert.deepEqual([unpaid.status, unpaid.body.problem.code], [402, 'unavailable'])
    const { status, body: refused } = await ask('/v1/audio/speech', {
      method: 'POST',
      body,
      payer: TEST_PAYER,
    })
    assert.deepEqual([status, refused.error.code, refused.error.param], [503, 'unavailable', 'voice'])
  }
  const { body } = await ask('/v1/audio/speech', {
    method: 'POST',
    body: { input: 'Hello', voice: 'near.one' },
  })
  assert.equal(body.problem, null)
})
