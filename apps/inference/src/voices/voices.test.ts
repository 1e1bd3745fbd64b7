import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { espeakNg, parseEspeakVoices } from './espeak-ng.ts'
import { findVoices, parseToken, toToken } from './find-voices.ts'
import { flite, parseFliteVoices } from './flite.ts'
import { voice } from './voice.ts'
import { openVoiceCatalogue } from './voice-catalogue.ts'
import type { VoiceSource } from './voice-source.ts'

const golden = (name: string) => readFileSync(join(import.meta.dirname, 'golden', name), 'utf8')
const signal = new AbortController().signal
const espeak = parseEspeakVoices(golden('espeak-ng-voices.txt'), golden('espeak-ng-variants.txt'))
const find = (id: string) => {
  const found = espeak.find((one) => one.id === id)
  assert.ok(found, id)
  return found
}

// The recorded list has 131 lines below its head; m1 to m8 and f1 to f5 are 13 variants: 131 * 14 = 1834.
test('every language of eSpeak NG is a voice, plain and in 13 variants, each under an id of its own', () => {
  assert.equal(espeak.length, 1834)
  assert.equal(new Set(espeak.map(({ id }) => id)).size, 1834)
  for (const one of espeak) assert.deepEqual(voice.parse(one), one)
})

test('names, languages and genders are read from the columns', () => {
  const british = find('espeak-ng.en')
  assert.deepEqual(
    [british.name, british.languages, british.gender],
    ['English (Great Britain)', ['en-GB', 'en'], 'male'],
  )
  assert.deepEqual(find('espeak-ng.chr').language, 'chr-US-Qaaa-x-west')
  assert.equal(find('espeak-ng.bpy').name, 'Bishnupriya Manipuri')
  const jyutping = find('espeak-ng.yue-Latn-jyutping')
  assert.deepEqual([jyutping.name, jyutping.language], ['Chinese (Cantonese, latin as Jyutping)', 'yue'])
  const varied = find('espeak-ng.en.f3')
  assert.deepEqual(
    [varied.name, varied.gender, varied.language],
    ['English (Great Britain) (f3)', 'female', 'en-GB'],
  )
})

test('a line that does not belong to a table gives no voice', () => {
  assert.deepEqual(parseEspeakVoices('Pty Language\n\nnonsense\n', ''), [])
  assert.deepEqual(parseFliteVoices('usage: flite'), [])
})

test('the voice of Flite that only speaks the time is omitted', () => {
  const voices = parseFliteVoices(golden('flite-voices.txt'))
  assert.deepEqual(
    voices.map(({ id }) => id),
    ['flite.kal', 'flite.kal16', 'flite.awb', 'flite.rms', 'flite.slt'],
  )
  for (const one of voices) assert.deepEqual(voice.parse(one), one)
})

test('a language matches its regions, and words match names', () => {
  const count = (query: Parameters<typeof findVoices>[1]) => findVoices(espeak, query).length
  // English has 8 lines in the recorded list; en-us-nyc is one of them.
  assert.equal(count({ language: 'en' }), 8 * 14)
  assert.equal(count({ language: 'EN-us' }), 2 * 14)
  assert.equal(count({ language: 'e' }), 0)
  assert.equal(count({ q: 'great britain ENGLISH' }), 14)
  assert.equal(count({ language: 'en', gender: 'female' }), 8 * 5)
  assert.equal(count({ provider: 'flite' }), 0)
  assert.equal(parseToken(toToken('espeak-ng.en')), 'espeak-ng.en')
  assert.equal(parseToken('x'), null)
})

test('an engine that is absent or fails has no voices, and the operator gets the reason', async () => {
  const failing: VoiceSource = {
    id: 'broken',
    list: async () => ({ isAvailable: false, reason: 'exit code 1' }),
  }
  assert.deepEqual((await openVoiceCatalogue([failing])).current(), {
    voices: [],
    providers: [{ id: 'broken', voices: 0, languages: 0, available: false }],
    notes: ['broken: exit code 1'],
  })
})

for (const engine of [espeakNg, flite]) {
  const listing = await engine.list(signal)
  const skip = listing.isAvailable ? false : listing.reason
  test(`the installed ${engine.id} lists voices that the catalogue understands`, { skip }, () => {
    assert.ok(listing.isAvailable && listing.voices.length >= 1)
    const ids = listing.voices.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const one of listing.voices) assert.deepEqual(voice.parse(one), one)
  })
}
