import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import * as z from 'zod'
import { PROJECTS } from '../tools/projects/find-missing.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]).optional()
const names = z.record(z.string(), z.string()).optional()
const schema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      optional: z.boolean().optional(),
      dependencies: names,
      devDependencies: names,
      os: list,
      cpu: list,
      libc: list,
    }),
  ),
})
const locks = ['', ...PROJECTS.map((project) => `${project}/`)].map((folder) => {
  const { packages } = schema.parse(JSON.parse(read(`${folder}package-lock.json`)))
  // Not those of this repository, and the links to them.
  const entries = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  const bare = entries.filter(([, { integrity }]) => integrity === undefined)
  return { folder, root: packages[''], entries, bare }
})

for (const { folder, entries, bare } of locks)
  test(`every package that Linux on x64 installs has its hash in ${folder}package-lock.json`, () => {
    const fits = (values: readonly string[] | undefined, value: string) => !values || values.includes(value)
    for (const [path, { os, cpu, libc, optional }] of bare) {
      assert.equal(optional, true, path)
      for (const kind of ['glibc', 'musl'])
        assert.ok(!(fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, kind)), `${path} is installed there`)
    }
    for (const [path, { integrity, resolved }] of entries) {
      if (integrity) assert.match(integrity, /^sha512-[\w+/]{86}==$/, path)
      assert.equal(resolved, undefined, path)
    }
  })

test('the packages without a hash are those that SECURITY.md names', () => {
  const paragraph =
    read('SECURITY.md')
      .split('\n')
      .find((line) => line.includes('have no hash yet')) ?? ''
  const named = [...paragraph.matchAll(/`(@[^`]+)`/g)].map(([, name = '']) => name)
  const bare = locks.flatMap((lock) => lock.bare.map(([path]) => path.split('node_modules/').at(-1) ?? ''))
  assert.deepEqual(named.sort(), [...new Set(bare)].sort())
})

test('a package that several projects name has one version in all of them', () => {
  const versions = new Map<string, Set<string>>()
  for (const { root } of locks)
    for (const [name, version] of Object.entries({ ...root?.dependencies, ...root?.devDependencies }))
      versions.set(name, (versions.get(name) ?? new Set()).add(version))
  assert.deepEqual(
    [...versions].filter(([, own]) => own.size > 1),
    [],
  )
})

test('the settings of npm hold in every project, and a project nests what its packages depend on', () => {
  const settings = (folder: string) =>
    read(`${folder}.npmrc`)
      .split('\n')
      .filter((line) => /^[a-z]/.test(line))
  for (const project of PROJECTS)
    assert.deepEqual(settings(`${project}/`), [...settings(''), 'install-strategy=nested'])
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
