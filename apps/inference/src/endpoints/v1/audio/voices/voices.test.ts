import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { createInferenceService } from '../../../../service.ts'
import { parseEspeakVoices } from '../../../../voices/espeak-ng.ts'
import { parseFliteVoices } from '../../../../voices/flite.ts'
import type { Voice } from '../../../../voices/voice.ts'
import { openVoiceCatalogue } from '../../../../voices/voice-catalogue.ts'

const recorded = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../voices/golden', name), 'utf8')
const sourceOf = (id: string, voices: readonly Voice[]) => ({
  id,
  list: async () => ({ isAvailable: true as const, voices }),
})

async function open(sources: Parameters<typeof openVoiceCatalogue>[0]) {
  const ports = inferencePorts({ voices: await openVoiceCatalogue(sources) })
  const { ask } = openService(await createInferenceService({ baseUrl: 'https://test.example', ports }))
  return (search: string, headers: Record<string, string> = {}) =>
    ask(`/v1/audio/voices${search}`, { headers })
}

const ask = await open([
  sourceOf(
    'espeak-ng',
    parseEspeakVoices(recorded('espeak-ng-voices.txt'), recorded('espeak-ng-variants.txt')),
  ),
  sourceOf('flite', parseFliteVoices(recorded('flite-voices.txt'))),
])

test('the catalogue is free and counts the available voices', async () => {
  const { status, body } = await ask('')
  assert.equal(status, 200)
  // 131 languages of eSpeak NG in 14 voices each, and 5 voices of Flite.
  assert.deepEqual([body.object, body.total, body.data.length], ['list', 1839, 100])
  assert.deepEqual(
    body.providers.map((provider: { id: string; voices: number; available: boolean }) => [
      provider.id,
      provider.voices,
      provider.available,
    ]),
    [
      ['espeak-ng', 1834, true],
      ['flite', 5, true],
    ],
  )
})

test('conditions narrow the list', async (t) => {
  const { body } = await ask('?provider=flite&gender=female')
  t.assert.fileSnapshot(
    `${JSON.stringify(body, null, 2)}\n`,
    join(import.meta.dirname, 'golden/flite-female.json'),
    {
      serializers: [String],
    },
  )
  assert.equal((await ask('?q=welsh&gender=female')).body.total, 5)
  assert.deepEqual(
    [(await ask('?hosted=true')).body.total, (await ask('?hosted=false')).body.total],
    [1839, 0],
  )
})

test('pages join into the whole list', async () => {
  const whole: string[] = []
  let search = '?language=en&limit=50'
  for (;;) {
    const { body } = await ask(search)
    whole.push(...body.data.map(({ id }: Voice) => id))
    // 8 lines of English in 14 voices each, and the 5 of Flite.
    assert.equal(body.total, 117)
    if (body.next_token === null) break
    search = `?language=en&limit=50&next_token=${body.next_token}`
  }
  assert.equal(whole.length, 117)
  assert.equal(new Set(whole).size, 117)
})

test('a client that has the current answer gets 304', async () => {
  const first = await ask('?provider=flite')
  const tag = first.headers.get('etag') ?? ''
  assert.equal((await ask('?provider=flite', { 'if-none-match': tag })).status, 304)
  assert.equal((await ask('?provider=espeak-ng', { 'if-none-match': tag })).status, 200)
})

test('invalid arguments are rejected in the dialect of the chat API', async () => {
  for (const search of ['?limit=501', '?limit=0', '?gender=x', '?next_token=x', '?voice=a']) {
    const { status, body } = await ask(search)
    assert.equal(status, 400, search)
    assert.equal(typeof body.error.message, 'string')
  }
})

test('with no engine installed the list is empty', async () => {
  const askBare = await open([
    { id: 'espeak-ng', list: async () => ({ isAvailable: false, reason: 'espeak-ng is not installed' }) },
  ])
  assert.deepEqual((await askBare('')).body, {
    object: 'list',
    total: 0,
    providers: [{ id: 'espeak-ng', voices: 0, languages: 0, available: false }],
    data: [],
    next_token: null,
  })
})
