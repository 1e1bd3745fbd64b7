import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calc } from '@tollbook/utility/endpoints/api/calc/endpoint'
import { scrape } from '@tollbook/utility/endpoints/api/scrape/endpoint'
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

test('endpoints that accept documents get sound and broken files, and the same ones by the same seed', async () => {
  const scraping = { service: 'utility', endpoint: scrape, siblings: [scrape] } as const
  const drawFiles = async () => {
    const cases = [...drawCases(scraping, { cases: 120, seed: 5, site: 'http://127.0.0.1:1' })]
    const forms = cases.flatMap(({ request }) =>
      request.init.body instanceof FormData ? [request.init.body] : [],
    )
    const files = forms.map((form) => form.get('file')).filter((file) => file instanceof File)
    return Promise.all(files.map(async ({ name, type, size }) => ({ name, type, size })))
  }
  const files = await drawFiles()
  const kinds = new Set(files.filter(({ name }) => name === 'a').map(({ type }) => type))
  for (const type of ['application/pdf', 'image/png', 'text/plain', 'text/markdown'])
    assert.ok(kinds.has(type), `${type} in ${[...kinds]}`)
  assert.ok(files.some(({ name }) => name.length > 5_000))
  assert.deepEqual(await drawFiles(), files)
})
