import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { showProgress } from '../suite.ts'
import { readExamples } from './examples.ts'
import { toTable } from './table.ts'
import { trainModel } from './train-model.ts'

const MODEL = new URL('../../packages/extract/src/pieces/data/content-model.json', import.meta.url)

const { values } = parseArgs({ options: { suites: { type: 'string' } } })

if (values.suites === undefined) {
  process.stderr.write('npm run grow -- --suites <folder>: see quality/README.md\n')
  process.exitCode = 1
} else {
  const table = toTable(await readExamples(values.suites))
  process.stderr.write(`${table.rows} pieces, ${table.columns} features each\n`)
  const model = trainModel(table, (done, all) => showProgress('trees', done, all))
  await writeFile(MODEL, `${JSON.stringify(model)}\n`)
  process.stderr.write(`${model.feature.length} nodes\n`)
}
