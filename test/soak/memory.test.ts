import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMemory, judgeMemory } from './memory.ts'
import { type Sample, toLives, worstDelay } from './vitals.ts'

const MB = 1e6

/** A process lifetime in minutes, with a sample every 15 seconds. */
function live(minutes: number, megabytesAt: (minute: number) => number, bornSeconds = 1): readonly Sample[] {
  return Array.from({ length: minutes * 4 + 1 }, (_, at) => ({
    house: 'utility',
    seconds: bornSeconds + at * 15,
    bornSeconds,
    delayP999Ms: minutes,
    residentBytes: megabytesAt(at / 4) * MB,
  }))
}

test('a process that grows only while it warms up is flat', () => {
  // From 300 to 700 MB in eight minutes, and no further; the second sixth begins in minute 10.
  const { growth, highestBytes } = judgeMemory(live(60, (minute) => Math.min(700, 300 + minute * 50)))
  assert.deepEqual(growth, { earlyBytes: 700 * MB, lateBytes: 700 * MB, ratio: 1 })
  assert.equal(highestBytes, 700 * MB)
})

test('garbage awaiting collection is not growth', () => {
  // A sawtooth between 500 and 599 MB in each minute; both medians are at the same point of the tooth.
  const { growth } = judgeMemory(live(60, (minute) => 500 + (minute % 1) * 132))
  assert.equal(growth?.ratio, 1)
})

test('even a slow leak is detected', () => {
  // 2 MB a minute from 400: the middle of the second sixth is minute 15, that of the last one minute 55.
  const { growth } = judgeMemory(live(60, (minute) => 400 + minute * 2))
  assert.ok(growth)
  assert.ok(Math.abs(growth.ratio - 510 / 430) < 0.001, `${growth.ratio}`)
})

test('a killed process starts a new lifetime, and its longest lifetime is judged', () => {
  const lives = toLives([...live(5, () => 900, 1), ...live(20, () => 300, 400), ...live(3, () => 200, 2_000)])
  assert.deepEqual(
    lives.map(({ length }) => length),
    [21, 81, 13],
  )
  const { course, words } = describeMemory('utility 2', lives)
  assert.equal(course.growth?.ratio, 1)
  assert.match(
    words,
    /^utility 2: the longest of 3 lives of 20\.0 minutes: 300 MB from minute 3\.3 to 6\.7, 300 MB from minute 16\.7 on, 1\.000 times/,
  )
})

test('a lifetime that is mostly warm-up is not judged', () => {
  const { course, words } = describeMemory('report', [live(14, () => 200)])
  assert.equal(course.growth, null)
  assert.match(words, /too short to judge; highest 200 MB$/)
})

test('the loop delay is that of a whole lifetime, and the worst if there are several', () => {
  // Here the delay in milliseconds equals the lifetime in minutes; half a minute has too few samples.
  assert.equal(worstDelay([live(5, () => 1), live(20, () => 1, 2), live(0.5, () => 1, 3)]), 20)
  assert.equal(worstDelay([live(0.5, () => 1)]), Number.NaN)
})
