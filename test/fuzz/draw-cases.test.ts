import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calc } from '../../src/utility/endpoints/api/calc/endpoint.ts'
import { drawCases } from './draw-cases.ts'

const target = { service: 'utility', endpoint: calc, siblings: [calc] } as const
const draw = (seed: number, cases: number) =>
  [...drawCases(target, { cases, seed, site: 'http://127.0.0.1:1' })].map(({ at, kind, request }) => ({
    at,
    kind,
    path: request.path,
    body: request.init.body,
  }))

test('the requested number of cases is drawn, equally many of each kind, and one seed draws the same cases again', () => {
  const drawn = draw(3, 90)
  assert.deepEqual(
    drawn.map(({ at }) => at),
    Array.from({ length: 90 }, (_, at) => at),
  )
  for (const kind of ['valid', 'near-valid', 'wild']) {
    const share = drawn.filter((each) => each.kind === kind).length / 90
    // Cases that no client can send are skipped; they are few.
    assert(share > 0.3 && share < 0.37, `${kind}: ${share}`)
  }
  assert.deepEqual(draw(3, 90), drawn)
  assert.notDeepEqual(draw(4, 90), drawn)
})
