import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

// The command of `npm run operations`: all scenarios of the folder, or those that are named.
const ROOT = join(import.meta.dirname, '..')
const files = globSync('test/operations/*.ts', { cwd: ROOT }).toSorted()
const nameOf = (file: string) => basename(file).replace(/(\.test)?\.ts$/, '')
const wanted = process.argv.slice(2)
const chosen = files.filter((file) => wanted.length === 0 || wanted.includes(nameOf(file)))
const unknown = wanted.filter((name) => !files.some((file) => nameOf(file) === name))
if (unknown.length > 0) {
  process.stderr.write(`no scenario ${unknown.join(', ')}; there are: ${files.map(nameOf).join(', ')}\n`)
  process.exitCode = 2
} else {
  const setup = '--test-global-setup=test/global-setup.ts'
  const words = ['--test', '--test-concurrency=1', setup, ...chosen]
  process.exitCode = spawnSync(process.execPath, words, { cwd: ROOT, stdio: 'inherit' }).status ?? 1
}
