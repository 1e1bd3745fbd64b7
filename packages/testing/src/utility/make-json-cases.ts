/**
 * Writes the accepted and the rejected cases of JSONTestSuite from a clone of it: `npx node
 * packages/testing/src/utility/make-json-cases.ts <git folder>` (https://github.com/nst/JSONTestSuite).
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '../../../convert/src/golden/json-test-suite.json')

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('usage: make-json-cases.ts <git folder of JSONTestSuite>')
const git = (...words: string[]) =>
  execFileSync('git', ['--git-dir', folder, ...words], { maxBuffer: 64 * 1024 * 1024 })
const commit = git('rev-parse', 'HEAD').toString().trim()
const paths = git('ls-tree', '--name-only', 'HEAD', 'test_parsing/').toString().trim().split('\n')
const cases = paths
  .filter((path) => /\/[yn]_/.test(path))
  .map((path) => [path.replace(/^.*\/|\.json$/g, ''), shorten(git('cat-file', 'blob', `HEAD:${path}`))])

/** Base64, or a repeated text and its count. */
function shorten(bytes: Buffer): string | readonly [string, number] {
  for (const length of [1, 5]) {
    const unit = bytes.subarray(0, length)
    const times = Math.floor(bytes.length / length)
    const isRepeated =
      times > 1000 && Buffer.concat(Array(times).fill(unit)).equals(bytes.subarray(0, times * length))
    if (isRepeated) return [unit.toString('base64'), times]
  }
  return bytes.toString('base64')
}

const lines = cases.map((one) => `    ${JSON.stringify(one)}`)
writeFileSync(
  FILE,
  `{\n  "source": "https://github.com/nst/JSONTestSuite",\n  "commit": "${commit}",\n  "cases": [\n${lines.join(',\n')}\n  ]\n}\n`,
)
process.stdout.write(`${cases.length} cases of ${commit}\n`)
