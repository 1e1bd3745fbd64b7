import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CAUGHT } from './caught-strategies.ts'
import { playHonestWeek } from './honest-week.ts'
import { judgeBefore, judgeNow } from './judge-town.ts'
import { PASSING } from './passing-strategies.ts'
import { buildTown } from './town.ts'

for (const { name, summary, play } of CAUGHT)
  test(`${name} (${summary}) makes at most a twentieth of its dollars real`, () => {
    const town = buildTown()
    play(town, 100)
    const { reportedUsd, passingUsd } = judgeNow(town)
    assert(passingUsd * 20 <= reportedUsd, `${passingUsd} of ${reportedUsd}`)
  })

for (const { name, summary, play } of PASSING)
  test(`${name} (${summary}) still passes`, () => {
    const town = buildTown()
    play(town, 100)
    const { reportedUsd, passingUsd } = judgeNow(town)
    assert.equal(passingUsd, reportedUsd)
  })

test('a real dollar is at least 20 times dearer to fake than by the screens before, at every budget', () => {
  for (const budget of [10, 100, 1_000, 10_000]) {
    const prices = [...CAUGHT, ...PASSING].map(({ play }) => {
      const town = buildTown()
      play(town, budget)
      const priceOf = (passing: number) =>
        passing === 0 ? Number.POSITIVE_INFINITY : town.burnedUsd / passing
      return { before: priceOf(judgeBefore(town).passingUsd), now: priceOf(judgeNow(town).passingUsd) }
    })
    const before = Math.min(...prices.map((price) => price.before))
    const now = Math.min(...prices.map((price) => price.now))
    assert(now >= 20 * before, `${now} and ${before} at ${budget}`)
  }
})

test('at most half a percent of the dollars of an honest week are flagged', () => {
  const town = playHonestWeek()
  const { reportedUsd, passingUsd } = judgeNow(town)
  // Seven times 669.0525 dollars, whose payments are rounded to micro-USDC one by one.
  assert(Math.abs(reportedUsd - 7 * 669.0525) < 0.1)
  assert(passingUsd >= 0.995 * reportedUsd, `${passingUsd} of ${reportedUsd}`)
})
