import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { printFigure } from '../../bench/figure.ts'
import { printRun } from '../../measurements/print-run.ts'
import { fuzz } from './fuzz.ts'

const HELP = `Sends every paid endpoint of the running product inputs drawn from its own schema: allowed ones, ones with a
single fault, and wild ones, each without and with a payment. Looks for failures (500), hangs, dead processes, and
charges without an answer; callers, ledger, chain and reports must agree at the end.

usage: npm run fuzz -- [options]

  --cases <number>  inputs for each endpoint; default 1000
  --seed <number>   to draw the same inputs again; default random
  --only <ids>      only these endpoints, separated by commas, such as calc,tweets.search
  -h, --help        this text

It prints a line for each endpoint, then each violation with its request, and ends with 1 when there is one.
`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '1000' },
      seed: { type: 'string', default: `${randomInt(1_000_000)}` },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const cases = Number(values.cases)
  const seed = Number(values.seed)
  if (values.help || !Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  printRun('fuzz')
  const only = values.only?.split(',')
  const startedMs = performance.now()
  const say = (line: string) => console.log(line)
  const { endpoints, calls, answered, violations } = await fuzz({ cases, seed, say, ...(only && { only }) })
  for (const words of violations.slice(0, 100)) console.log(words)
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  const setting = { cases, seed, endpoints, seconds }
  printFigure({ bench: 'fuzz', figure: 'calls', unit: 'calls', value: calls, setting })
  printFigure({ bench: 'fuzz', figure: 'answered and charged', unit: 'calls', value: answered, setting })
  printFigure({ bench: 'fuzz', figure: 'violations', unit: '', value: violations.length, setting })
  return violations.length === 0 ? 0 : 1
}
