import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FACILITATOR_LIST } from '../src/report/chain/facilitators.ts'
import { METHOD_VERSION, SCREENS } from '../src/report/screen/screens.ts'

const text = readFileSync('docs/screens.md', 'utf8')

test('docs/screens.md lists every screen by priority, with its version', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, kind, version]) => [
    kind,
    Number(version),
  ])
  assert.deepEqual(
    rows,
    SCREENS.map(({ kind, version }) => [kind, version]),
  )
})

test('docs/screens.md names the method and the list of facilitators in use', () => {
  assert(text.includes(`Method version: ${METHOD_VERSION}.`))
  assert(text.includes(FACILITATOR_LIST.replace(' ', ' at ')))
})
