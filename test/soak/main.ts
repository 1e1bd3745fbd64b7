import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { printFigure } from '../../measurements/print-figure.ts'
import { printRun } from '../../measurements/print-run.ts'
import { type SoakResult, soak } from './soak.ts'

const HELP = `Runs the product in a process for each part on a local chain and sells all of it for an hour, while single
processes are killed; then holds callers, ledger, chain and published reports against each other.

usage: npm run soak -- [options]

  --minutes <number>     of selling; default 60
  --rate <number>        calls begun each second; default 6
  --kill-every <number>  seconds between kills, in the first two thirds of the time; 0: none; default 60
  --seed <number>        of what is bought and killed; default random
  -h, --help             this text

It prints a line each half minute, at the end how the memory of each process went and each difference, and its figures
as JSON lines. It ends with 1 when anything differs. Needs PostgreSQL's binaries (npm) and, for speech, espeak-ng and flite.
`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '6' },
      'kill-every': { type: 'string', default: '60' },
      seed: { type: 'string', default: `${randomInt(1_000_000)}` },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const minutes = Number(values.minutes)
  const rate = Number(values.rate)
  const killEverySeconds = Number(values['kill-every'])
  const seed = Number(values.seed)
  const areRight =
    minutes > 0 && rate > 0 && rate <= 100 && killEverySeconds >= 0 && Number.isSafeInteger(seed)
  if (values.help || !areRight) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  printRun('soak')
  const tell = ({ differences, figures, kills, processes }: SoakResult) => {
    for (const words of differences.slice(0, 50)) console.log(words)
    const setting = { minutes, rate, seed, kills, processes }
    for (const [figure, unit, value] of figures) printFigure({ bench: 'soak', figure, unit, value, setting })
  }
  const say = (line: string) => console.log(line)
  const { differences } = await soak({ minutes, rate, killEverySeconds, seed, say, tell })
  return differences.length === 0 ? 0 : 1
}
