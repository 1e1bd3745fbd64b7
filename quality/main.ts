import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { printRun } from '../measurements/print-run.ts'
import { a11y } from './a11y.ts'
import { accname } from './accname.ts'
import { answers } from './answers.ts'
import { articleExtraction } from './article-extraction.ts'
import { calc } from './calc.ts'
import { commonmark } from './commonmark.ts'
import { head } from './head.ts'
import { isemail } from './isemail.ts'
import { mutatedDumps } from './mutated-dumps.ts'
import { ocr } from './ocr.ts'
import { ocrReceipts } from './ocr-receipts.ts'
import { ocrTables } from './ocr-tables.ts'
import { pdf } from './pdf.ts'
import { pdfStructure } from './pdf-structure.ts'
import { sentences } from './sentences.ts'
import { sqlDumps, sqlDumpsUnseen } from './sql-dumps.ts'
import { structure, structureHeldOut } from './structure.ts'
import type { Suite } from './suite.ts'
import { summaries } from './summaries.ts'
import { vectorizeSuite } from './vectorize.ts'
import { wcxb, wcxbTest } from './wcxb.ts'

const SUITES: readonly Suite[] = [
  wcxb,
  wcxbTest,
  structure,
  structureHeldOut,
  articleExtraction,
  commonmark,
  summaries,
  sentences,
  answers,
  a11y,
  accname,
  head,
  isemail,
  calc,
  vectorizeSuite,
  pdf,
  pdfStructure,
  ocr,
  ocrTables,
  ocrReceipts,
  sqlDumps,
  sqlDumpsUnseen,
  mutatedDumps,
]

const USAGE = `npm run quality -- --suites <folder> [--only <names>] [--every <n>] [--held-out]

Measures answers against outside suites and prints one JSON line per figure, next to published ones.
It downloads nothing: quality/README.md lists the source and the expected folder of each suite.
A suite that cannot run prints the reason to stderr, and the next one starts; the exit code is then 1.

  --suites <folder>  folder that contains the suites; calc, vectorize, pdf-structure and ocr-tables need none
  --only <names>     run only these, separated by commas
  --every <n>        use only every n-th example
  --held-out         also run suites that must not influence any choice; --only can name them, too
  --help             print this text

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

/** Whether a suite runs without being named. */
function isWanted({ isHeldOut = false }: Suite): boolean {
  return !isHeldOut || values['held-out']
}

function fail(message: string): 1 {
  process.stderr.write(`${message}\n`)
  return 1
}
