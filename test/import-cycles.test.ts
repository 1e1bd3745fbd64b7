import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** Folders whose files and subfolders still import each other. */
const UNORDERED = new Set(['src/engines/convert', 'src/utility/page'])

type Arrows = Map<string, Set<string>>

test('the files and subfolders of a folder import each other in one direction', () => {
  const cyclic = [...readArrows()].filter(([, arrows]) => findCycle(arrows) !== null)
  const unexpected = cyclic.filter(([folder]) => !UNORDERED.has(folder))
  assert.deepEqual(
    unexpected.map(([folder, arrows]) => `${folder}: ${findCycle(arrows)?.join(' -> ')}`),
    [],
  )
  assert.deepEqual(
    new Set(cyclic.map(([folder]) => folder)),
    UNORDERED,
    'only folders with a cycle are listed',
  )
})

/** For each folder of `src`, which of its files and subfolders import which. */
function readArrows(): ReadonlyMap<string, Arrows> {
  const files = globSync('src/**/*.{ts,js}').filter((file) => !file.endsWith('.test.ts'))
  const known = new Set(files)
  const folders = new Map<string, Arrows>()
  for (const file of files)
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

function importsOf(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)
  return [...specifiers].map(([, specifier = '']) => normalize(join(dirname(file), specifier)))
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
