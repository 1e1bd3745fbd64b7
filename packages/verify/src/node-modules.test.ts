import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** Types are erased, so what they are imported from is not loaded. */
const VALUE_IMPORT = /^(?:import|export) (?!type )[^'"]*?(?:from )?'([^']+)'|import\('([^']+)'\)/gm
const isNeeded = (path: string) => !path.startsWith('packages/verify/src/node/') && !path.endsWith('.test.ts')

const sources = globSync('packages/verify/src/**/*.ts').filter(isNeeded)

/** The file of this repository that an import names, or undefined for another package. */
function pathOf(name: string, file: string): string | undefined {
  if (name.startsWith('.')) return normalize(join(dirname(file), name))
  return /^@tollbook\//.test(name)
    ? name.replace(/^@tollbook\/([^/]+)\/(.+)$/, 'packages/$1/src/$2.ts')
    : undefined
}

test('a source outside of the folder node imports only zod and lower packages', () => {
  const wrong = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
      .map(([, name = '']) => pathOf(name, file) ?? name)
      .filter((name) => name !== 'zod' && !/^packages\/(verify|flow|chain)\/src\//.test(name))
      .map((name) => `${file} -> ${name}`),
  )
  assert.deepEqual(wrong, [])
})

test('what a page loads to verify a report contains no module of Node', () => {
  const loaded = new Set<string>()
  const found: string[] = []
  const load = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const [, first, second] of readFileSync(file, 'utf8').matchAll(VALUE_IMPORT)) {
      const name = first ?? second ?? ''
      const path = pathOf(name, file)
      if (name.startsWith('node:')) found.push(`${file} -> ${name}`)
      else if (path?.endsWith('.ts') && existsSync(path)) load(path)
    }
  }
  for (const file of sources) load(file)
  assert.ok(loaded.has('packages/chain/src/wallet-signatures.ts'))
  assert.deepEqual(found, [])
})
