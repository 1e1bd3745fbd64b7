import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

test('the product imports only packages that an install without development dependencies has', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
  const pattern =
    /^(?!(?:import|export) type)(?:import|export|\}).* from '([^'.][^':]*)'|\bimport\('([^'.][^':]*)'\)/gm
  const found = sources
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(pattern)].map((match) => ({
        file,
        name: (match[1] ?? match[2])?.split('/', match[0].includes("'@") ? 2 : 1).join('/'),
      })),
    )
    .filter(({ name }) => name && !installed.has(name))
  assert.deepEqual(found, [])
  assert.ok(sources.length > 1_000)
})
