import { execFileSync, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { printFigure } from '../../measurements/print-figure.ts'
import { printRun } from '../../measurements/print-run.ts'
import { type ClusterResult, cluster } from './cluster.ts'

const HELP = `Runs the product as several machines do: three replicas of each service, two indexers, two report services and
two facilitators behind reverse proxies, on PostgreSQL with a standby and ClickHouse with two shards of two replicas;
sells all of it while one after the other fails, and then compares callers, ledger, chain and published reports.

usage: npm run cluster -- [options]

  --minutes <number>  of selling; default 30
  --rate <number>     calls begun each second; default 4
  --pause <number>    seconds between the repair of a fault and the next; default 12
  --seed <number>     of what is bought and what fails; default random
  --from <folder>     checkout of an older release: its processes begin, and are replaced one by one half way
  -h, --help          this text

It prints each fault, what callers saw, each difference, and its figures as JSON lines. It ends with 1 when anything
differs. Needs root (for network namespaces), PostgreSQL's binaries (npm) and the Debian packages iproute2, faketime,
clickhouse-server and, for speech, espeak-ng and flite.
`

process.exitCode = await main()

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      rate: { type: 'string', default: '4' },
      pause: { type: 'string', default: '12' },
      seed: { type: 'string', default: `${randomInt(1_000_000)}` },
      from: { type: 'string' },
      // Set by this program when it starts itself again.
      inside: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const minutes = Number(values.minutes)
  const rate = Number(values.rate)
  const pauseSeconds = Number(values.pause)
  const seed = Number(values.seed)
  const areRight = minutes > 0 && rate > 0 && rate <= 100 && pauseSeconds >= 0 && Number.isSafeInteger(seed)
  if (values.help || !areRight) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  if (!values.inside) return startInside()
  execFileSync('ip', ['link', 'set', 'lo', 'up'])
  printRun(
    'cluster',
    process.argv.slice(2).filter((word) => word !== '--inside'),
  )
  const from = values.from === undefined ? null : resolve(values.from, 'src/main.ts')
  const tell = ({ differences, figures, faults, kinds, processes }: ClusterResult) => {
    for (const words of differences.slice(0, 50)) console.log(words)
    const setting = { minutes, rate, seed, faults, kinds, processes }
    for (const [figure, unit, value] of figures)
      printFigure({ bench: from === null ? 'cluster' : 'upgrade of a cluster', figure, unit, value, setting })
  }
  const say = (line: string) => console.log(line)
  const { differences } = await cluster({ minutes, rate, pauseSeconds, seed, from, say, tell })
  return differences.length === 0 ? 0 : 1
}

/** Starts this program in namespaces of its own, so that mounts and links go with it however it ends. */
function startInside(): number {
  const [program = '', ...words] = process.argv
  const { status } = spawnSync('unshare', ['--mount', '--net', program, ...words, '--inside'], {
    stdio: 'inherit',
  })
  return status ?? 1
}
