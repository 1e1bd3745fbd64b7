import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createProgress } from '@tollbook/flow/progress'
import { printFigure } from '../../measurements/print-figure.ts'
import { printRun } from '../../measurements/print-run.ts'
import { fuzz } from './fuzz.ts'
import { fuzzChannels } from './fuzz-channels.ts'
import { fuzzExpressions } from './fuzz-expressions.ts'
import { fuzzFacilitator } from './fuzz-facilitator.ts'

const HELP = `Sends every paid endpoint of the running product inputs drawn from its own schema: allowed ones, ones with a
single fault, and wild ones, each without and with a payment, every fourth as a tool call, every fifth first as a
browser. Looks for failures (500), hangs, dead processes, and charges without an answer; callers, ledger, chain and
reports must agree at the end. Before that, the calculator gets drawn expressions, each of which must give a value or a
refusal of its own, and the facilitator signed payments and requests about channels with faults in their JSON.

usage: npm run fuzz -- [options]

  --cases <number>  inputs for each endpoint; default 1000
  --seed <number>   to draw the same inputs again; default random
  --expressions <number>  expressions for the calculator; default 100000, 0 leaves them out
  --facilitator <number>  payments, and requests about channels, to the facilitator; default 2000, 0 leaves them out
  --only <ids>      only these endpoints, separated by commas, such as calc,tweets.search
  --at-once <number>  calls open at a time, over all endpoints; default 32
  --minutes <number>  begin no case after so long; default: all are sent
  -h, --help        this text

It prints each violation with its request as it shows, a line for each endpoint at the end, and its figures as JSON
lines. It ends with 1 when there is a violation. Needs PostgreSQL's binaries (npm) and, for speech, espeak-ng and flite.
`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '1000' },
      seed: { type: 'string', default: `${randomInt(1_000_000)}` },
      expressions: { type: 'string', default: '100000' },
      facilitator: { type: 'string', default: '2000' },
      only: { type: 'string' },
      'at-once': { type: 'string', default: '32' },
      minutes: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const cases = Number(values.cases)
  const seed = Number(values.seed)
  const expressions = Number(values.expressions)
  const atOnce = Number(values['at-once'])
  const settlements = Number(values.facilitator)
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
  const areRight =
    [cases, seed, atOnce, expressions, settlements].every((number) => Number.isSafeInteger(number)) &&
    cases >= 1 &&
    expressions >= 0 &&
    settlements >= 0 &&
    atOnce >= 1 &&
    (minutes === undefined || minutes > 0)
  if (values.help || !areRight) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  printRun('fuzz')
  const faultyExpressions = await playExpressions(expressions, seed)
  const faultySettlements = await playFacilitator(settlements, seed)
  const only = values.only?.split(',')
  const startedMs = performance.now()
  const { endpoints, fewest, calls, answered, violations } = await createProgress().phase('fuzz', (phase) =>
    fuzz({
      cases,
      seed,
      atOnce,
      say: (line) => console.log(line),
      ...(only && { only }),
      ...(minutes !== undefined && { minutes }),
      onCase: (done, total) => phase.at(done, total, 'cases'),
    }),
  )
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  const setting = { cases, fewest, seed, endpoints, atOnce, seconds }
  printFigure({ bench: 'fuzz', figure: 'calls', unit: 'calls', value: calls, setting })
  printFigure({ bench: 'fuzz', figure: 'answered and charged', unit: 'calls', value: answered, setting })
  printFigure({ bench: 'fuzz', figure: 'violations', unit: '', value: violations, setting })
  return violations + faultyExpressions + faultySettlements === 0 ? 0 : 1
}

/** Number of expressions with an outcome that is not allowed. */
async function playExpressions(count: number, seed: number): Promise<number> {
  if (count === 0) return 0
  const { values, refusals, violations } = await createProgress().phase('expressions', async (phase) =>
    fuzzExpressions({ count, seed, onExpression: (done) => phase.at(done, count, 'expressions') }),
  )
  for (const violation of violations) console.log(violation)
  const bench = 'fuzz of expressions'
  const setting = { seed, values, refusals }
  printFigure({ bench, figure: 'expressions', unit: 'expressions', value: count, setting })
  printFigure({ bench, figure: 'violations', unit: '', value: violations.length, setting })
  return violations.length
}

/** Number of requests to the facilitator that broke it or moved money unreported. */
async function playFacilitator(count: number, seed: number): Promise<number> {
  if (count === 0) return 0
  let faulty = 0
  for (const [bench, play] of [
    ['fuzz of the facilitator', fuzzFacilitator],
    ['fuzz of its channels', fuzzChannels],
  ] as const) {
    const { settled, violations } = await play(count, seed)
    for (const violation of violations) console.log(violation)
    faulty += violations.length
    printFigure({ bench, figure: 'requests', unit: 'requests', value: count, setting: { seed, settled } })
    printFigure({ bench, figure: 'violations', unit: '', value: violations.length, setting: { seed } })
  }
  return faulty
}
