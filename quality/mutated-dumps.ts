import { fc } from '@tollbook/testing/property'
import { drawnDump } from '@tollbook/testing/utility/draw-dumps'
import { judgeDump } from '@tollbook/testing/utility/judge-dump'
import { printFigure, type Suite, showProgress } from './suite.ts'

const DUMPS = 5000
/** Other dumps than those of `npm test`. */
const SEED = 44

/** Generated dumps of five databases with up to three mutations each. */
export const mutatedDumps: Suite = {
  name: 'mutated-dumps',
  summary: `rows lost without an error or a warning in ${DUMPS} mutated dumps`,
  needsFolder: false,
  async run({ every }) {
    const all = fc
      .sample(drawnDump, { numRuns: DUMPS * 2, seed: SEED })
      .filter(({ mutations }) => mutations.length > 0)
      .slice(0, DUMPS)
      .filter((_, at) => at % every === 0)
    const counts = { complete: 0, refused: 0, told: 0, lost: 0 }
    for (const [at, dump] of all.entries()) {
      const { kind, why } = judgeDump(dump)
      counts[kind] += 1
      if (kind === 'lost')
        process.stderr.write(`${dump.style} ${dump.mutations.join(', ')}: ${why}\n${dump.text}\n`)
      showProgress('mutated-dumps', at + 1, all.length)
    }
    const print = (figure: string, value: number) =>
      printFigure({ suite: 'mutated-dumps', figure, value, of: all.length })
    print('dumps with a row lost silently', counts.lost)
    print('dumps with all rows', counts.complete)
    print('dumps refused', counts.refused)
    print('dumps with a warning about skipped rows', counts.told)
  },
}
