import { printRun } from '../../measurements/print-run.ts'
import { CAUGHT } from './caught-strategies.ts'
import { playHonestWeek } from './honest-week.ts'
import { judgeBefore, judgeNow } from './judge-town.ts'
import { PASSING } from './passing-strategies.ts'
import { buildTown } from './town.ts'

const BUDGETS_USD = [10, 100, 1_000, 10_000] as const

const HELP = `npm run cheat

Plays ways to make revenue look real on a simulated chain, with budgets of ${BUDGETS_USD.join(', ')} dollars. Prints as JSON
lines what is burned (gas, fees, interest) for each dollar that passes every screen: by the screens of version 2 of the
method (before) and by those of this version (now). null: nothing passes. Then the honest week: dollars flagged.
Prices of gas, fees and interest are assumptions, in test/cheat/prices.ts. Takes seconds.
`

if (process.argv.includes('--help') || process.argv.includes('-h')) process.stdout.write(HELP)
else main()

function main(): void {
  printRun('cheat')
  for (const budget of BUDGETS_USD) {
    const best = { before: Number.POSITIVE_INFINITY, now: Number.POSITIVE_INFINITY }
    for (const { name, play } of [...CAUGHT, ...PASSING]) {
      const town = buildTown()
      play(town, budget)
      const [before, now] = [judgeBefore(town), judgeNow(town)]
      const priceOf = (passing: number) => (passing === 0 ? null : town.burnedUsd / passing)
      const prices = { before: priceOf(before.passingUsd), now: priceOf(now.passingUsd) }
      best.before = Math.min(best.before, prices.before ?? best.before)
      best.now = Math.min(best.now, prices.now ?? best.now)
      print({
        strategy: name,
        budget,
        reported: now.reportedUsd,
        burned: town.burnedUsd,
        ...prices,
        flags: now.flags,
      })
    }
    print({ strategy: 'best', budget, ...best, times: best.now / best.before })
  }
  const town = playHonestWeek()
  const [before, now] = [judgeBefore(town), judgeNow(town)]
  const shareOf = ({ reportedUsd, passingUsd }: typeof now) => (reportedUsd - passingUsd) / reportedUsd
  print({
    honest: now.reportedUsd,
    flaggedBefore: shareOf(before),
    flaggedNow: shareOf(now),
    flags: now.flags,
  })
}

function print(line: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
