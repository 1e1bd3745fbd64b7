import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

function run(...words: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], { encoding: 'utf8' })
}

test('tollbook --version prints the versions that a report of an error needs', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
  const { status, stdout } = run('--version')
  assert.equal(status, 0)
  assert.equal(stdout, `tollbook ${version}, Node ${process.version}, ${process.platform} ${process.arch}\n`)
})

test('a command with a mistake is called wrongly, and the command that was meant is named', () => {
  const { status, stderr } = run('veriyf')
  assert.equal(status, 2)
  assert.match(stderr, /^tollbook: no command "veriyf"; did you mean verify\?\n\nusage: /)
})
