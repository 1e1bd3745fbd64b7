import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { importsOf, packageOf, sources } from './imports.ts'

/** The folders of a folder of src/, in the order of imports; `*` stands for its own files. */
const ORDER_OF_FOLDERS: Record<string, readonly string[]> = {
  'report/chain': ['*', 'portals'],
  'report/ledger': ['engine', 'clickhouse', 'duckdb', 'tables', '*', 'coverage', 'upkeep', 'payment-files'],
  'report/screen': ['flow', '*'],
  'report/listings': ['*', 'merchant'],
  'report/claims': ['*', 'alerts', 'signing'],
  'report/pages': ['*', 'merchant'],
  'report/pages/merchant': ['sections', '*'],
  'report/routes': ['reads', '*'],
  'report/verify': ['published', 'recompute', 'checks', '*'],
}
/** Folders of src/ inside which no two folders import each other, nor a folder and the files next to it. */
const PAIRLESS =
  'buying devchain facilitator fetching flow images models money report settings upstream workers'.split(' ')
/** Those of them inside which every folder with folders is in ORDER_OF_FOLDERS. */
const ORDERED = ['report']

/** An import between two parts of one folder: folders, or the folder's own files as `*`. */
type Arrow = { readonly folder: string; readonly from: string; readonly to: string; readonly text: string }

/** The imports inside these folders of src/, each between two parts of the innermost folder of both files. */
function listArrows(within: readonly string[]): readonly Arrow[] {
  return sources
    .filter((file) => within.includes(packageOf(file)))
    .flatMap((file) =>
      importsOf(file).flatMap((target) => {
        if (!target.endsWith('.ts')) return []
        const [from, to] = [dirname(file).split('/'), dirname(target).split('/')]
        const depth = from.findIndex((part, at) => part !== to[at])
        const shared = depth < 0 ? from.length : depth
        const arrow = { from: from[shared] ?? '*', to: to[shared] ?? '*', text: `${file} -> ${target}` }
        const isInside = shared > 1 && arrow.from !== arrow.to
        return isInside ? [{ ...arrow, folder: from.slice(1, shared).join('/') }] : []
      }),
    )
}

test('no two folders import each other, nor a folder and the files next to it', () => {
  const arrows = listArrows(PAIRLESS)
  const pairs = arrows.filter(({ folder, from, to }) =>
    arrows.some((other) => other.folder === folder && other.from === to && other.to === from),
  )
  assert.deepEqual(
    pairs.map(({ text }) => text),
    [],
  )
})

test('each folder of a folder imports only the folders before it, down to the innermost', () => {
  const wrong = listArrows(ORDERED).filter(({ folder, from, to }) => {
    const order = ORDER_OF_FOLDERS[folder]
    return order !== undefined && !order.slice(0, order.indexOf(from)).includes(to)
  })
  assert.deepEqual(
    wrong.map(({ text }) => text),
    [],
  )
})

test('every folder with folders is in the order of its folders', () => {
  const parts = new Map<string, Set<string>>()
  for (const file of sources.filter((source) => ORDERED.includes(packageOf(source)))) {
    const path = dirname(file).split('/').slice(1)
    for (const depth of path.keys()) {
      const folder = path.slice(0, depth + 1).join('/')
      parts.set(folder, (parts.get(folder) ?? new Set()).add(path[depth + 1] ?? '*'))
    }
  }
  const nested = [...parts].filter(([folder, names]) => !ORDERED.includes(folder) && names.size > 1)
  assert.deepEqual(
    Object.fromEntries(nested.map(([folder, names]) => [folder, [...names].sort()])),
    Object.fromEntries(
      Object.entries(ORDER_OF_FOLDERS).map(([folder, order]) => [folder, [...order].sort()]),
    ),
  )
})

test('no step from a log to a badge imports a later step', () => {
  const text = readFileSync('docs/from-log-to-badge.md', 'utf8')
  const steps = [...text.matchAll(/^\| \d+ \| `([^`]+)` \|/gm)].map(([, file]) => `src/report/${file}`)
  assert.ok(steps.length > 10)
  const wrong = steps.flatMap((file, at) => importsOf(file).filter((target) => steps.indexOf(target) > at))
  assert.deepEqual(wrong, [])
})
