import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { createWorkerPool } from '@tollbook/workers/pool'
import { iconSearch } from './endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())
const ask = (provided: object) => runEndpoint(iconSearch, provided, { ports: { workers } })
type Found = { readonly name: string; readonly styles: readonly string[]; readonly score: number }

test("the example is the endpoint's answer", async () => {
  assert.deepEqual(await ask(iconSearch.example.input), iconSearch.example.output)
})

test('icons are ranked by relevance, limited to the requested number, with attribution', async () => {
  const { icons, total, license, attribution } = await ask({ keyword: 'arrow', limit: 7 })
  const scores = icons.map(({ score }: Found) => score)
  assert.equal(icons.length, 7)
  assert.ok(total > 100)
  assert.equal(scores[0], 1)
  assert.deepEqual(
    scores,
    scores.toSorted((a: number, b: number) => b - a),
  )
  assert.equal(license, 'CC-BY-4.0')
  assert.match(attribution, /Font Awesome.*creativecommons/)
})

test('a style excludes icons that lack it', async () => {
  const { icons } = await ask({ query: 'star', style: 'regular', limit: 50 })
  assert.ok(icons.length > 1)
  assert.ok(icons.every(({ styles }: Found) => styles.includes('regular')))
  assert.equal((await ask({ q: 'github', style: 'solid' })).icons[0]?.name === 'github', false)
})

test('an unrelated query finds nothing, and is refused', async () => {
  await assert.rejects(ask({ q: 'qqqxzzzzv' }), { message: 'cannot_be_served: No icon was found.' })
})

test('a search without words is rejected before payment', () => {
  for (const provided of [
    {},
    { q: '' },
    { q: '   ' },
    { q: 'a', query: 'a' },
    { q: 'a', limit: 51 },
    { q: 'a', style: 'thin' },
  ])
    assert.equal(issuesOf(iconSearch, provided).length, 1, JSON.stringify(provided))
})
