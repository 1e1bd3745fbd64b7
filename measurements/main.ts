import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readOutput } from './read-outputs.ts'
import { renderMeasurements } from './render-measurements.ts'

const HELP = `Writes docs/measurements.md from the outputs under measurements/outputs.

usage: npm run measurements

To add new figures, save the standard output of a command there, such as
  npm run --silent bench -- --only decode > measurements/outputs/bench-decode.jsonl
  npm run --silent quality -- --suites <folder> > measurements/outputs/quality.jsonl
  npm run --silent crash > measurements/outputs/crash.jsonl
  npm run --silent soak > measurements/outputs/soak.jsonl
  npm run --silent cluster > measurements/outputs/cluster.jsonl
  npm run --silent fuzz > measurements/outputs/fuzz.jsonl
  npm run --silent attack > measurements/outputs/attack.jsonl

  -h, --help  print this text
`

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } })
if (values.help) process.stdout.write(HELP)
else {
  const folder = join(import.meta.dirname, 'outputs')
  const files = globSync('*.jsonl', { cwd: folder }).toSorted()
  const measured = files.flatMap((file) => readOutput(readFileSync(join(folder, file), 'utf8')))
  writeFileSync(join(import.meta.dirname, '../docs/measurements.md'), renderMeasurements(measured))
  process.stdout.write(`docs/measurements.md: ${measured.length} figures from ${files.length} outputs\n`)
}
