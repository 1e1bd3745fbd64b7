import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { importsOf, packageOf, sources } from './imports.ts'

/**
 * Folders whose parts are in the order of imports: each may import those before it. `*` stands for the folder's own
 * files. Every other folder has some order, too: no two of its parts import each other, directly or by others.
 */
const ORDER_OF_PARTS: Record<string, readonly string[]> = {
  'packages/gate/src': [
    'contract',
    'challenge',
    '*',
    'state',
    'authorization',
    'reading',
    'remote',
    'calls',
    'protocols',
    'gate',
    'routes',
    'seller',
    'adapters',
  ],
  'apps/report/src/chain': ['*', 'portals'],
  'apps/report/src/ledger': [
    'engine',
    'clickhouse',
    'duckdb',
    'tables',
    '*',
    'coverage',
    'upkeep',
    'payment-files',
  ],
  'apps/report/src/listings': ['*', 'merchant'],
  'apps/report/src/claims': ['*', 'alerts', 'signing'],
  'apps/report/src/pages': ['*', 'merchant'],
  'apps/report/src/pages/merchant': ['sections', '*'],
  'apps/report/src/routes': ['reads', '*'],
  'packages/verify/src': [
    'chain',
    'screen',
    'listings',
    'build',
    'published',
    'recompute',
    'checks',
    '*',
    'node',
  ],
  'packages/verify/src/screen': ['flow', '*'],
}

/**
 * Packages in which all files of a folder come before a subfolder, or all after it. Elsewhere some files, such
 * as types, come before the subfolders and others after them.
 */
const UNMIXED = 'devchain flow models pay report safe-fetch upstream verify webhooks workers'.split(' ')

type Arrows = Map<string, Set<string>>

test('the files and subfolders of a folder import each other in one direction, at every depth', () => {
  const cycles = [...readArrows()].flatMap(([folder, arrows]) => {
    const cycle = findCycle(arrows)
    return cycle ? [`${folder}: ${cycle.join(' -> ')}`] : []
  })
  assert.deepEqual(cycles, [])
})

test('no folder and the files next to it import each other', () => {
  const unmixed = [...readArrows()].filter(([folder]) => UNMIXED.includes(packageOf(folder)))
  const pairs = unmixed.flatMap(([folder, arrows]) => {
    const byParts = [...arrows].flatMap(([from, targets]) => [...targets].map((to) => [from, to].map(partOf)))
    const out = new Set(byParts.filter(([from]) => from === '*').map(([, to = '']) => to))
    const both = byParts.filter(([from = '', to]) => to === '*' && from !== '*' && out.has(from))
    return [...new Set(both.map(([from]) => `${folder}: ${from}`))]
  })
  assert.deepEqual(pairs, [])
})

test('each part of a folder imports only the parts before it', () => {
  const folders = readArrows()
  const wrong = Object.entries(ORDER_OF_PARTS).flatMap(([folder, order]) =>
    [...(folders.get(folder) ?? [])].flatMap(([from, targets]) =>
      [...targets]
        .map((to) => [partOf(from), partOf(to)] as const)
        .filter(([a, b]) => a !== b && !order.slice(0, order.indexOf(a)).includes(b))
        .map(([a, b]) => `${folder}: ${a} -> ${b}`),
    ),
  )
  assert.deepEqual([...new Set(wrong)], [])
})

test('every part of these folders is in their order, and every folder with folders inside apps/report/src is', () => {
  const parts = new Map<string, Set<string>>()
  for (const file of sources) {
    const path = file.split('/')
    for (const depth of path.slice(3).keys()) {
      const folder = path.slice(0, depth + 3).join('/')
      parts.set(folder, (parts.get(folder) ?? new Set()).add(partOf(path[depth + 3] ?? '')))
    }
  }
  const isListed = (folder: string, names: ReadonlySet<string>) =>
    folder in ORDER_OF_PARTS || (/^apps\/report\/src\/./.test(folder) && names.size > 1)
  assert.deepEqual(
    Object.fromEntries(
      [...parts]
        .filter(([folder, names]) => isListed(folder, names))
        .map(([folder, names]) => [folder, [...names].sort()]),
    ),
    Object.fromEntries(Object.entries(ORDER_OF_PARTS).map(([folder, order]) => [folder, [...order].sort()])),
  )
})

test('no step from a log to a badge imports a later step', () => {
  const text = readFileSync('docs/from-log-to-badge.md', 'utf8')
  const steps = [...text.matchAll(/^\| \d+ \| `([^`]+)` \|/gm)].map(([, file = '']) => file)
  assert.ok(steps.length > 10)
  const wrong = steps.flatMap((file, at) => importsOf(file).filter((target) => steps.indexOf(target) > at))
  assert.deepEqual(wrong, [])
})

/** A subfolder by its name, a file as `*`. */
function partOf(name: string): string {
  return name.endsWith('.ts') ? '*' : name
}

/** For each folder, which of its files and subfolders import which. */
function readArrows(): ReadonlyMap<string, Arrows> {
  const known = new Set(sources)
  const folders = new Map<string, Arrows>()
  for (const file of sources)
    for (const imported of importsOf(file).filter((other) => known.has(other) && other !== file)) {
      const [from, to] = [file.split('/'), imported.split('/')]
      const depth = from.findIndex((name, at) => name !== to[at])
      const folder = from.slice(0, depth).join('/')
      const arrows = folders.get(folder) ?? new Map<string, Set<string>>()
      folders.set(folder, arrows)
      const [here = '', there = ''] = [from[depth], to[depth]]
      arrows.set(here, (arrows.get(here) ?? new Set()).add(there))
    }
  return folders
}

/** Names that import each other in a circle, if there are any. */
function findCycle(arrows: Arrows): readonly string[] | null {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    if (done.has(name)) return null
    for (const next of arrows.get(name) ?? []) {
      const cycle = visit(next, [...path, name])
      if (cycle) return cycle
    }
    done.add(name)
    return null
  }
  for (const name of arrows.keys()) {
    const cycle = visit(name, [])
    if (cycle) return cycle
  }
  return null
}
