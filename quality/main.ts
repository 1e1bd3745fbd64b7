import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { printRun } from '../measurements/print-run.ts'
import { a11y } from './a11y.ts'
import { articleExtraction } from './article-extraction.ts'
import { commonmark } from './commonmark.ts'
import { isemail } from './isemail.ts'
import type { Suite } from './suite.ts'
import { summaries } from './summaries.ts'
import { vectorizeSuite } from './vectorize.ts'
import { wcxb, wcxbTest } from './wcxb.ts'

const SUITES: readonly Suite[] = [
  wcxb,
  wcxbTest,
  articleExtraction,
  commonmark,
  summaries,
  a11y,
  isemail,
  vectorizeSuite,
]

const USAGE = `npm run quality -- --suites <folder> [--only <names>] [--every <n>] [--held-out]

Measures answers against suites that others made and prints one JSON line for each figure, beside published ones.
It fetches nothing: quality/README.md says where each suite comes from and in which folder it is expected.
A suite that cannot run says why on stderr, and the next goes on; then the exit code is 1.

  --suites <folder>  where the suites lie; vectorize needs none
  --only <names>     only these, separated by commas
  --every <n>        only every n-th example
  --held-out         also suites that nothing may be chosen by; --only names them, too
  --help             this text

${SUITES.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`).join('\n')}
`

const { values } = parseArgs({
  options: {
    suites: { type: 'string' },
    only: { type: 'string' },
    every: { type: 'string', default: '1' },
    'held-out': { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})

if (values.help) process.stdout.write(USAGE)
else process.exitCode = await runAll()

async function runAll(): Promise<number> {
  const folder = values.suites ?? ''
  const every = Number(values.every)
  const names = values.only?.split(',') ?? SUITES.filter(isWanted).map(({ name }) => name)
  const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name))
  if (unknown.length > 0) return fail(`no such suite: ${unknown.join(', ')}`)
  const chosen = SUITES.filter(({ name }) => names.includes(name))
  const needsFolder = chosen.some((suite) => suite.needsFolder ?? true)
  if (needsFolder && folder === '') return fail('--suites names the folder of the suites; see --help')
  if (needsFolder && !existsSync(folder)) return fail(`there is no folder ${folder}`)
  if (!Number.isInteger(every) || every < 1) return fail('--every takes a whole number from 1 on')
  printRun('quality')
  let exitCode = 0
  for (const suite of chosen) {
    process.stderr.write(`${suite.name}: ${suite.summary}\n`)
    try {
      await suite.run({ folder, every, isHeldOutWanted: values['held-out'] })
    } catch (error) {
      exitCode = fail(`${suite.name} could not run: ${error instanceof Error ? error.message : error}`)
    }
  }
  return exitCode
}

/** Without being named. */
function isWanted({ isHeldOut = false }: Suite): boolean {
  return !isHeldOut || values['held-out']
}

function fail(message: string): 1 {
  process.stderr.write(`${message}\n`)
  return 1
}
