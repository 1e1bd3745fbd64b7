import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { folderOf, packageOf, sources } from './imports.ts'

/** Imports of packages, without those of types. */
const PATTERN =
  /^(?!(?:import|export) type)(?:import|export|\}).* from '([^'.][^':]*)'|\bimport\('([^'.][^':]*)'\)/gm

/** Shows an example of a client as text. */
const WITH_EXAMPLE = 'packages/endpoints/src/documents/docs-page.ts'

test('each package imports only what an install of it alone brings', () => {
  const found = sources
    .filter((file) => file !== WITH_EXAMPLE)
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(PATTERN)]
        .map((match) => match[1] ?? match[2] ?? '')
        .map((path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
        .filter((name) => name !== '' && !broughtBy(packageOf(file)).has(name))
        .map((name) => ({ file, name })),
    )
  assert.deepEqual(found, [])
  assert.ok(sources.length > 1_000)
})

const brought = new Map<string, ReadonlySet<string>>()

/** What a package may import: itself and what its package.json names, optional packages included. */
function broughtBy(name: string): ReadonlySet<string> {
  const known = brought.get(name)
  if (known) return known
  const manifest = JSON.parse(readFileSync(`${folderOf(name)}/package.json`, 'utf8'))
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers = [] } = manifest
  const names = new Set([
    manifest.name,
    ...Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }),
    ...optionalPeers,
  ])
  brought.set(name, names)
  return names
}
