import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resample } from './resample.ts'

const tone = (hertz: number, rate: number, seconds = 0.2) =>
  Float32Array.from({ length: rate * seconds }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate))
/** Excludes the samples near the ends, where the kernel is incomplete. */
const inner = (samples: Float32Array) => samples.subarray(200, -200)

for (const [from, to] of [
  [16_000, 24_000],
  [22_050, 24_000],
  [44_100, 16_000],
  [8_000, 16_000],
] as const) {
  test(`a tone keeps its pitch and loudness from ${from} to ${to} samples per second`, () => {
    const changed = resample(tone(440, from), from, to)
    const wanted = tone(440, to)
    assert.equal(changed.length, wanted.length)
    const error = inner(changed.map((sample, at) => Math.abs(sample - (wanted[at] ?? 0))))
    assert.ok(Math.max(...error) < 0.01, `${Math.max(...error)}`)
  })
}

test('a tone above half of the new rate is removed, not aliased', () => {
  const changed = inner(resample(tone(11_000, 48_000), 48_000, 16_000))
  assert.ok(Math.max(...changed.map(Math.abs)) < 0.01, `${Math.max(...changed.map(Math.abs))}`)
})
