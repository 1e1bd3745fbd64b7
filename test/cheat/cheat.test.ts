import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playHonestWeek } from './honest-week.ts'
import { judgeBefore, judgeNow } from './judge-town.ts'
import { STRATEGIES } from './strategies.ts'
import { buildTown } from './town.ts'

/** What still passes, and why: docs/screens.md. */
const PASSING = new Set([
  'channels of others',
  'seven relays',
  'a busy mule',
  'a pool of stable coins',
  'back as ETH',
  'through an exchange',
  'over a bridge and back',
  'own capital, held',
  'own capital, last hour',
])

for (const { name, summary, play } of STRATEGIES) {
  const verb = PASSING.has(name) ? 'still passes' : 'makes at most a twentieth of its dollars real'
  test(`${name} (${summary}) ${verb}`, () => {
    const town = buildTown()
    play(town, 100)
    const { reportedUsd, passingUsd } = judgeNow(town)
    if (PASSING.has(name)) assert.equal(passingUsd, reportedUsd)
    else assert(passingUsd * 20 <= reportedUsd, `${passingUsd} of ${reportedUsd}`)
  })
}

test('a real dollar is at least 20 times dearer to fake than by the screens before, at every budget', () => {
  for (const budget of [10, 100, 1_000, 10_000]) {
    const prices = STRATEGIES.map(({ play }) => {
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
