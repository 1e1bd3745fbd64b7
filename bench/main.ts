import { parseArgs } from 'node:util'
import { printRun } from '../measurements/print-run.ts'
import type { Benchmark } from './benchmark.ts'
import { calc } from './calc.ts'
import { chain } from './chain.ts'
import { decode } from './decode.ts'
import { eventLoop } from './event-loop.ts'
import { facilitator } from './facilitator.ts'
import { growth } from './growth.ts'
import { housekeeping } from './housekeeping.ts'
import { inference } from './inference.ts'
import { keccak } from './keccak.ts'
import { mcp } from './mcp.ts'
import { memory } from './memory.ts'
import { paid } from './paid.ts'
import { places } from './places.ts'
import { processes } from './processes.ts'
import { proxy } from './proxy.ts'
import { reading } from './reading.ts'
import { report } from './report.ts'
import { served } from './served.ts'
import { social } from './social.ts'
import { start } from './start.ts'
import { unpaid } from './unpaid.ts'
import { utility } from './utility.ts'
import { week } from './week.ts'

const BENCHMARKS: readonly Benchmark[] = [
  unpaid,
  paid,
  mcp,
  proxy,
  chain,
  facilitator,
  decode,
  keccak,
  week,
  reading,
  report,
  growth,
  housekeeping,
  served,
  utility,
  memory,
  eventLoop,
  places,
  social,
  inference,
  processes,
  start,
  calc,
]

const USAGE = `npm run bench -- [--only <names>] [--quick]

Prints one JSON line per figure, next to its peer's from the same run; progress goes to stderr.
A benchmark that cannot run prints the reason to stderr, and the next one starts; the exit code is still 0.

  --only <names>  run only these, separated by commas
  --quick         fewer and shorter rounds
  --posts <number>  posts that social imports; default 1000000, with --quick 50000
  --suites <folder>  outside suites (quality/README.md): use their pages instead of generated ones
  --help          print this text

${BENCHMARKS.map(({ name, summary }) => `  ${name.padEnd(10)} ${summary}`).join('\n')}
`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean' },
    posts: { type: 'string' },
    suites: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) process.stdout.write(USAGE)
else await runAll(values.only?.split(',') ?? BENCHMARKS.map(({ name }) => name))

async function runAll(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
  if (unknown.length > 0) process.stderr.write(`no such benchmark: ${unknown.join(', ')}\n`)
  printRun('bench')
  for (const benchmark of BENCHMARKS.filter(({ name }) => names.includes(name))) {
    process.stderr.write(`${benchmark.name}: ${benchmark.summary}\n`)
    try {
      await benchmark.run({
        isQuick: values.quick ?? false,
        suites: values.suites,
        ...(values.posts !== undefined && { posts: Number(values.posts) }),
      })
    } catch (error) {
      process.stderr.write(
        `${benchmark.name} could not run: ${error instanceof Error ? error.message : error}\n`,
      )
    }
  }
}
