import { ask } from '@tollbook/testing/utility/calculator'
import { askUnits, comparedUnits, findName, TOLERANCE } from '@tollbook/testing/utility/gnu-units'
import { drawTyped } from '@tollbook/testing/utility/typed/draw-typed'
import { judgeTyped, type TypedVerdict } from '@tollbook/testing/utility/typed/judge-typed'
import { printFigure, type Suite } from './suite.ts'

const SEED = 20_261_128
const TYPED = 20_000
/** Examples of one form that are printed. */
const SHOWN = 4

/** Expressions as people type them, and conversions of every pair of units; the judges are programs of others. */
export const calc: Suite = {
  name: 'calc',
  summary: 'expressions as people type them, against PARI/GP and GNU units (which must be installed)',
  needsFolder: false,
  async run({ every }) {
    judgeExpressions(Math.ceil(TYPED / every))
    judgePairs()
  },
}

function judgeExpressions(count: number): void {
  const judged = judgeTyped(drawTyped(count, SEED))
  const counted = (verdict: TypedVerdict) => judged.filter((one) => one.verdict === verdict)
  for (const [form, all] of Map.groupBy(judged, (one) => one.form)) {
    const failed = all.filter(({ verdict }) => verdict !== 'right')
    process.stderr.write(`${form}: ${all.length - failed.length} of ${all.length} right\n`)
    for (const { typed, verdict, note } of failed.slice(0, SHOWN))
      process.stderr.write(`  ${verdict}: ${JSON.stringify(typed)}: ${note}\n`)
  }
  const figures = [
    ['typed expressions right', 'right'],
    ['typed expressions wrong', 'wrong'],
    ['typed expressions refused without need', 'refused'],
    ['typed expressions on which the judges disagree', 'judges disagree'],
  ] as const
  for (const [figure, verdict] of figures)
    printFigure({ suite: 'calc', figure, value: counted(verdict).length, of: count })
}

/** Every ordered pair of units of one dimension that GNU units has, too. */
function judgePairs(): void {
  const named = comparedUnits().flatMap((unit) => {
    const name = findName(unit)
    return name === null || unit.base === '1' ? [] : [{ ...unit, name }]
  })
  const pairs = [...Map.groupBy(named, ({ base }) => base).values()].flatMap((family) =>
    family.flatMap((from) => family.filter((to) => to !== from).map((to) => [from, to] as const)),
  )
  const expected = askUnits(pairs.map(([from, to]) => [`7 (${from.name})`, to.name]))
  const wrong = pairs.filter(([from, to], at) => {
    const { scientific } = ask(`7 ${from.symbol} in ${to.symbol}`)
    return !(Math.abs(Number(scientific) / (expected[at] ?? 0) - 1) < TOLERANCE)
  })
  for (const [from, to] of wrong) process.stderr.write(`wrong: 7 ${from.symbol} in ${to.symbol}\n`)
  printFigure({
    suite: 'calc',
    figure: 'conversions of pairs of units that agree with GNU units',
    value: pairs.length - wrong.length,
    of: pairs.length,
  })
}
