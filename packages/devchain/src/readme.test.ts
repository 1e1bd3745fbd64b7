import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'devchain-readme-'))
after(() => rmSync(folder, { recursive: true }))

/** The first block of TypeScript after a heading; without one, the first of all. */
function blockAfter(heading: string): string {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(README.slice(README.indexOf(heading))) ?? []
  return code
}

/** Runs a block as a program that finds each package where this one does. */
function run(code: string): string {
  const resolved = code.replace(/from '(?!node:)([^']+)'/g, (_, name: string) => {
    const own = /^@tollbook\/devchain\/(.+)$/.exec(name)?.[1]
    return `from '${import.meta.resolve(own === undefined ? name : `./${own}.ts`)}'`
  })
  const file = join(folder, 'example.ts')
  writeFileSync(file, resolved)
  // Otherwise a test within writes for the runner of this one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', env })
  assert.equal(status, 0, `${stdout}${stderr}`)
  return stdout
}

test('the example of the README runs', () => {
  assert.match(
    run(blockAfter('# ')),
    /^http:\/\/127\.0\.0\.1:\d+ 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913$/m,
  )
})

test('the recipe for node:test passes', () => {
  assert.match(run(blockAfter('## node:test')), /pass 1\n/)
})
