import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithoutSpeech } from './find-silence.ts'

const SECONDS = 2
const RATE = 16_000

function record(sampleAt: (at: number) => number) {
  const samples = Int16Array.from({ length: SECONDS * RATE }, (_, at) => sampleAt(at))
  return { pcm: new Uint8Array(samples.buffer) }
}

/** Pseudo-random from -1 to 1, the same every time. */
function createNoise(): () => number {
  let seed = 1
  return () => {
    seed = (seed * 48_271) % 2_147_483_647
    return (2 * seed) / 2_147_483_647 - 1
  }
}

/** A tone that swells like four syllables a second. */
const syllables = (at: number) =>
  Math.sin((2 * Math.PI * 150 * at) / RATE) * Math.sin((Math.PI * 4 * at) / RATE) ** 2

test('silence, faint noise, a click, steady noise and a steady tone have no speech', () => {
  const noise = createNoise()
  assert.ok(isWithoutSpeech({ pcm: new Uint8Array(0) }))
  assert.ok(isWithoutSpeech(record(() => 0)))
  assert.ok(isWithoutSpeech(record(() => 20 * noise())))
  assert.ok(isWithoutSpeech(record((at) => (at === 4_000 ? 30_000 : 10 * noise()))))
  assert.ok(isWithoutSpeech(record(() => 9_000 * noise())))
  assert.ok(isWithoutSpeech(record((at) => 9_000 * Math.sin((2 * Math.PI * 50 * at) / RATE))))
})

test('a sound that swells like syllables may be speech, also if it is faint or has noise around it', () => {
  const noise = createNoise()
  assert.equal(isWithoutSpeech(record((at) => 9_000 * syllables(at))), false)
  assert.equal(isWithoutSpeech(record((at) => 150 * syllables(at))), false)
  assert.equal(isWithoutSpeech(record((at) => 9_000 * syllables(at) + 2_000 * noise())), false)
})
