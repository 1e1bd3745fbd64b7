import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importsOf, sources } from './imports.ts'

type Arrows = Map<string, Set<string>>

test('the files and subfolders of a folder import each other in one direction', () => {
  const cycles = [...readArrows()].flatMap(([folder, arrows]) => {
    const cycle = findCycle(arrows)
    return cycle ? [`${folder}: ${cycle.join(' -> ')}`] : []
  })
  assert.deepEqual(cycles, [])
})

/** For each folder of `src`, which of its files and subfolders import which. */
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
