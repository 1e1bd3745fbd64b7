import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as z from 'zod'
import { temporaryFolder } from '../testing/temporary-folder.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional()
const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        integrity: z.string().optional(),
        optional: z.boolean().optional(),
        os: list,
        cpu: list,
        libc: list,
      }),
    ),
  })
  .parse(JSON.parse(read('package-lock.json')))
const entries = Object.entries(packages).filter(([path]) => path !== '')
const bare = entries.filter(([, { integrity }]) => integrity === undefined)

test('every package that Linux on x64 installs has its hash in the lock', () => {
  const fits = (values: readonly string[] | undefined, value: string) => !values || values.includes(value)
  for (const [path, { os, cpu, libc, optional }] of bare) {
    assert.equal(optional, true, path)
    for (const kind of ['glibc', 'musl'])
      assert.ok(!(fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, kind)), `${path} is installed there`)
  }
  for (const [path, { integrity }] of entries)
    if (integrity) assert.match(integrity, /^sha512-[\w+/]{86}==$/, path)
})

test('the packages without a hash are those that SECURITY.md names', () => {
  const paragraph =
    read('SECURITY.md')
      .split('\n')
      .find((line) => line.includes('have no hash yet')) ?? ''
  const named = [...paragraph.matchAll(/`(@[^`]+)`/g)].map(([, name = '']) => `node_modules/${name}`)
  assert.deepEqual(named.sort(), bare.map(([path]) => path).sort())
})

test('the release workflow does not publish while a package has no hash', () => {
  const workflow = read('.github/workflows/release.yml')
  const [, program = ''] = /every package of the lock[\s\S]*?run: node -e "(.*)"\n/.exec(workflow) ?? []
  assert.ok(workflow.indexOf(program) < workflow.indexOf('npm publish'))
  const run = (lock: object) => {
    const cwd = temporaryFolder('lock')
    writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify(lock))
    return spawnSync(process.execPath, ['-e', program], { cwd, encoding: 'utf8' })
  }
  const whole = { '': {}, 'node_modules/a': { integrity: 'sha512-x' } }
  assert.equal(run({ packages: whole }).status, 0)
  const { status, stderr } = run({ packages: { ...whole, 'node_modules/b': {} } })
  assert.equal(status, 1)
  assert.match(stderr, /no hash in package-lock\.json.*node_modules\/b/)
})
