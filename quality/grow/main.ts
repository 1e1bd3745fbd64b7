import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { showProgress } from '../suite.ts'
import { readExamples } from './examples.ts'
import { growForest } from './grow-forest.ts'
import { toTable } from './table.ts'

const FOREST = new URL('../../src/engines/extract/pieces/data/content-forest.json', import.meta.url)

const { values } = parseArgs({ options: { suites: { type: 'string' } } })

if (values.suites === undefined) {
  process.stderr.write('npm run grow -- --suites <folder>: see quality/README.md\n')
  process.exitCode = 1
} else {
  const table = toTable(await readExamples(values.suites))
  process.stderr.write(`${table.rows} pieces, ${table.columns} figures each\n`)
  const forest = growForest(table, (done, all) => showProgress('trees', done, all))
  await writeFile(FOREST, `${JSON.stringify(forest)}\n`)
  process.stderr.write(`${forest.feature.length} nodes\n`)
}
