import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { Weights } from '../tools/measure-weights.ts'
import { INSTALLS, WEIGHTS } from '../tools/weights.ts'

/** Chosen: patch releases change a package by a few percent, a new heavy dependency changes a part by more. */
const TOLERANCE = 1.1
const isMeasured = process.platform === 'linux' && process.arch === 'x64'

for (const { parts, max, maxPackages = Number.POSITIVE_INFINITY } of WEIGHTS)
  test(`${parts.join(' + ')} takes at most ${max} MiB`, { skip: !isMeasured }, () => {
    const { mebibytes, packages } = new Weights(process.cwd()).ofWorkspaces(...parts)
    assert.ok(mebibytes <= max * TOLERANCE, `${mebibytes} MiB`)
    assert.ok(packages <= maxPackages * TOLERANCE, `${packages} packages`)
  })

for (const install of ['everything', 'everythingWithoutNode', 'development'] as const)
  test(`the install ${install} takes at most ${INSTALLS[install].max} MiB`, { skip: !isMeasured }, () => {
    const { mebibytes, largest } = new Weights(process.cwd())[install]()
    assert.ok(mebibytes <= INSTALLS[install].max * TOLERANCE, `${mebibytes} MiB: ${JSON.stringify(largest)}`)
  })

test('a limit above its target is lowered as soon as the target is reached', { skip: !isMeasured }, () => {
  const weights = new Weights(process.cwd())
  for (const { parts, target } of WEIGHTS)
    if (target) assert.ok(weights.ofWorkspaces(...parts).mebibytes > target, parts.join(' + '))
})

test('a part weighs its own sources, what it depends on, and the builds of that; not what only tests need', () => {
  const root = temporaryFolder('weights')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const large = 'x'.repeat(2 ** 20)
  const link = (resolved: string) => ({ resolved, link: true })
  write(
    'package-lock.json',
    JSON.stringify({
      packages: {
        '': {},
        'packages/own': {
          dependencies: { engine: '1', '@own/other': '1' },
          devDependencies: { tester: '1' },
          optionalDependencies: { heavy: '1' },
          peerDependencies: { wanted: '1', unwanted: '1' },
          peerDependenciesMeta: { unwanted: { optional: true } },
        },
        'packages/other': { dependencies: { engine: '2' } },
        'packages/other/node_modules/engine': {},
        'node_modules/@own/other': link('packages/other'),
        'node_modules/engine': { optionalDependencies: { 'engine-linux': '1', 'engine-windows': '1' } },
        'node_modules/engine-linux': {},
        'node_modules/engine-windows': {},
        'node_modules/heavy': { dependencies: { engine: '1' } },
        'node_modules/tester': { dev: true },
        'node_modules/wanted': {},
        'node_modules/unwanted': { dev: true },
      },
    }),
  )
  // One MiB each: own source, other, its engine, engine, engine-linux, heavy, tester, wanted, unwanted.
  const folders = ['packages/own', 'packages/other', 'packages/other/node_modules/engine']
  for (const name of ['engine', 'engine-linux', 'heavy', 'tester', 'wanted', 'unwanted'])
    folders.push(`node_modules/${name}`)
  for (const folder of folders) write(`${folder}/index.ts`, large)
  write('packages/own/index.test.ts', large)
  write('packages/own/golden/answer.txt', large)
  for (const name of ['own', 'other']) write(`packages/${name}/package.json`, '{}')

  const weights = new Weights(root)
  const { mebibytes, packages, optional } = weights.ofWorkspaces('packages/own')
  // own, other, other's engine, engine, engine-linux, wanted.
  assert.equal(Math.round(mebibytes), 6)
  // Without own and other.
  assert.equal(packages, 4)
  assert.deepEqual([Math.round(optional.mebibytes), optional.packages], [1, 1])
  assert.deepEqual(weights.workspaces, ['packages/other', 'packages/own'])
  assert.equal(Math.round(weights.everything().mebibytes), 7)
  assert.equal(Math.round(weights.development().mebibytes), 9)
})
