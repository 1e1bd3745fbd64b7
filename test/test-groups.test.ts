import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { groupTestFiles, renderGroup } from './test-groups.ts'

const ROOT = join(import.meta.dirname, '..')

test('npm test runs every test file once, in a group or isolated', () => {
  const { groups, isolated } = groupTestFiles()
  // Also files that are not yet committed.
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const files = list.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)))
  assert.ok(files.length > 400)
  assert.deepEqual([...groups.flat(), ...isolated].sort(), files.sort())
  assert.ok(groups.length > 10)
})

/** Runs one group of these files, and answers with the runner's exit code and TAP. */
function runGroup(codes: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-test-groups-'))
  try {
    const files = Object.entries(codes).map(([name, code]) => {
      const path = join(folder, `${name}.test.mjs`)
      writeFileSync(path, `import { beforeEach, test } from 'node:test'\n${code}\n`)
      return path
    })
    const group = join(folder, 'group.mjs')
    writeFileSync(group, renderGroup(files))
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', group], {
      encoding: 'utf8',
      env,
    })
    return { status, stdout }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('in a group, a failure names its file, and affects no other file, nor does a hook', () => {
  const { status, stdout } = runGroup({
    unloadable: "throw new Error('unloadable')",
    hooked: "beforeEach(() => { throw new Error('hook') }); test('hooked', () => {})",
    passing: "test('passing', () => {})",
  })
  assert.equal(status, 1, stdout)
  for (const name of ['unloadable', 'hooked'])
    assert.match(stdout, new RegExp(`not ok \\d+ - [^\\n]*/${name}\\.test\\.mjs`))
  assert.match(stdout, /^ok 3 - .*passing\.test\.mjs$/m)
  assert.match(stdout, /^# pass 1$/m)
})

test('in a group, an uncaught error fails the run and names its file', () => {
  const { status, stdout } = runGroup({
    uncaught: "test('uncaught', () => new Promise(() => setImmediate(() => { throw new Error('late') })))",
    passing: "test('passing', () => {})",
  })
  assert.equal(status, 1, stdout)
  assert.match(stdout, /^not ok 1 - .*uncaught\.test\.mjs$/m)
  assert.match(stdout, /^ok \d+ - .*passing\.test\.mjs$/m)
})
