import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { planProcesses } from './plan-processes.ts'

const ROOT = join(import.meta.dirname, '..')

test('every test file of the repository runs in exactly one process', () => {
  const files = globSync('{packages,apps,tools,test}/**/*.test.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules'],
  })
  const planned = planProcesses(files, (file) => readFileSync(join(ROOT, file), 'utf8'))
  assert.deepEqual(planned.flat().toSorted(), files.toSorted())
  assert.ok(planned.length < files.length)
})

test('files of one package share a process, 24 at most, and neighbours are divided', () => {
  const names = Array.from(
    { length: 26 },
    (_, index) => `packages/calc/${'abcdefghijklmnopqrstuvwxyz'[index]}.test.ts`,
  )
  const planned = planProcesses([...names, 'packages/flow/a.test.ts'], () => `test('it adds', () => {})`)
  const [even, odd] = [0, 1].map((rest) => names.filter((_, at) => at % 2 === rest))
  assert.deepEqual(planned, [even, odd, ['packages/flow/a.test.ts']])
})

test('a file with effects on the whole process runs alone', () => {
  for (const effect of [
    '  process.env.TOLLBOOK_TEST_SEED = "1"',
    '  delete process.env.PORT',
    `  process.on('exit', stop)`,
    '  t.mock.timers.enable()',
    'registerHooks({',
  ])
    assert.deepEqual(
      planProcesses(['packages/a/a.test.ts', 'packages/a/b.test.ts', 'packages/a/c.test.ts'], (file) =>
        file === 'packages/a/b.test.ts' ? `import 'x'\n${effect}\n` : `test('it adds', () => {})`,
      ),
      [['packages/a/b.test.ts'], ['packages/a/a.test.ts', 'packages/a/c.test.ts']],
    )
})

test('the files of the whole product come first, eight at most in a process', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `test/paying/${name}.test.ts`)
  const planned = planProcesses(['packages/a/a.test.ts', ...names, 'test/docs.test.ts'], () => '')
  assert.deepEqual(planned, [
    ['test/docs.test.ts'],
    ['a', 'c', 'e', 'g', 'i'].map((name) => `test/paying/${name}.test.ts`),
    ['b', 'd', 'f', 'h'].map((name) => `test/paying/${name}.test.ts`),
    ['packages/a/a.test.ts'],
  ])
})

test('a file that starts the whole product runs alone', () => {
  const files = ['test/end-to-end/a.test.ts', 'test/end-to-end/b.test.ts', 'test/end-to-end/c.test.ts']
  for (const start of ['startProduct()', `startCommand(['start'], environment)`, 'startRenderingWorld()'])
    assert.deepEqual(
      planProcesses(files, (file) => (file === files[1] ? `await ${start}` : '')),
      [[files[1]], [files[0], files[2]]],
    )
})

test('processes that took longest before come first, after those of the product that are new', () => {
  const planned = planProcesses(
    [
      'packages/a/a.test.ts',
      'packages/b/a.test.ts',
      'packages/c/a.test.ts',
      'test/x/a.test.ts',
      'test/y/a.test.ts',
    ],
    () => '',
    { 'packages/b/a.test.ts': 20, 'packages/c/a.test.ts': 30, 'test/x/a.test.ts': 25 },
  )
  assert.deepEqual(planned.flat(), [
    'test/y/a.test.ts',
    'packages/c/a.test.ts',
    'test/x/a.test.ts',
    'packages/b/a.test.ts',
    'packages/a/a.test.ts',
  ])
})
