import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { type Answer, item, pagesOf, serveSource } from '@tollbook/testing/report/discovery-source'
import { readDiscovery } from './discovery.ts'

const NOW = new Date('2026-11-15T12:00:00Z')
const fetch = createSafeFetch({ allowPrivateNetwork: true })
const { signal } = new AbortController()
const read = (source: string) => readDiscovery({ source, fetch, readAt: NOW, signal })

for (const hasTotal of [true, false]) {
  test(`every page is read where the source ${hasTotal ? 'reports' : 'does not report'} a total`, async (context) => {
    const items = Array.from({ length: 7 }, (_, index) => item(`/${index}`))
    const { url, requests } = await serveSource(context, pagesOf(items, 3, hasTotal))
    assert.equal((await read(url)).length, 7)
    assert.ok(requests[0]?.startsWith('/discovery/resources?limit='))
    assert.ok(requests.some((path) => path.endsWith('offset=6')))
  })
}

test('a source that ignores the offset is read until it repeats itself', async (context) => {
  const body = JSON.stringify({ x402Version: 1, items: [item('/a'), item('/b')] })
  const { url, requests } = await serveSource(context, () => ({ body }))
  assert.equal((await read(url)).length, 2)
  assert.equal(requests.length, 2)
})

const many = (count: number) => Array.from({ length: count }, (_, index) => item(`/${index}`))
const pageOf = (items: readonly unknown[], pagination?: object): Answer => ({
  body: JSON.stringify({ x402Version: 2, items, pagination }),
})

for (const total of [0, 2, 3, 6, 1_000_000]) {
  test(`a source of 7 items that reports a total of ${total} is read completely`, async (context) => {
    const items = many(7)
    const { url } = await serveSource(context, (limit, offset) =>
      pageOf(items.slice(offset, offset + 3), { limit: Math.min(limit, 3), offset, total }),
    )
    assert.equal((await read(url)).length, 7)
  })
}

test('reading ends when the total is reached on a page that is not full', async (context) => {
  const { url, requests } = await serveSource(context, pagesOf(many(7), 500))
  assert.equal((await read(url)).length, 7)
  assert.equal(requests.length, 1)
})

test('overlapping pages produce each listing once', async (context) => {
  const items = many(9)
  const { url } = await serveSource(context, (_limit, offset) =>
    pageOf(items.slice(Math.max(0, offset - 1), offset + 3), { total: 9 }),
  )
  assert.equal((await read(url)).length, 9)
})

test('a source that shrinks while it is read is read to its end', async (context) => {
  let items = many(9)
  const { url } = await serveSource(context, (_limit, offset) => {
    const page = pageOf(items.slice(offset, offset + 3), { total: items.length })
    items = items.slice(0, -2)
    return page
  })
  const found = await read(url)
  assert.ok(found.length >= 5)
})

test('reading a source that cycles ends', async (context) => {
  const items = many(4)
  const { url, requests } = await serveSource(context, (_limit, offset) =>
    pageOf([items[offset % 4], items[(offset + 1) % 4]], { total: 1_000_000 }),
  )
  assert.equal((await read(url)).length, 4)
  assert.equal(requests.length, 3)
})

test('an endless source is read up to 200 pages', async (context) => {
  const { url, requests } = await serveSource(context, (_limit, offset) =>
    pageOf([item(`/${offset}`)], { total: 1e9 }),
  )
  assert.equal((await read(url)).length, 200)
  assert.equal(requests.length, 200)
})

test('items on other networks do not end the reading', async (context) => {
  const items = [...many(3).map((each) => ({ ...each, accepts: [] })), item('/paid')]
  const { url } = await serveSource(context, pagesOf(items, 1, false))
  assert.equal((await read(url)).length, 1)
})

test('a page that is too large is requested in smaller pieces', async (context) => {
  const items = many(16).map((each) => ({ ...each, padding: 'x'.repeat(600_000) }))
  const { url, requests } = await serveSource(context, pagesOf(items, 500))
  assert.equal((await read(url)).length, 16)
  // 16 items have 9.6 MB; 500 / 8 / 8 are 7 a page.
  assert.ok(requests.some((path) => path.includes('limit=7&')))
})

test('a source that answers 429 is retried', async (context) => {
  let refusals = 2
  const { url } = await serveSource(context, (limit, offset) => {
    refusals -= 1
    if (refusals >= 0) return { status: 429, headers: { 'retry-after': '0' }, body: '' }
    return pagesOf(many(2), 500)(limit, offset)
  })
  assert.equal((await read(url)).length, 2)
})

test('an item that appears twice becomes one listing, with the values seen last', async (context) => {
  const older = { ...item('/a', { amount: '5' }), lastUpdated: '2026-01-01T00:00:00Z' }
  const newer = { ...item('/a', { amount: '6' }), lastUpdated: '2026-02-01T00:00:00Z' }
  const { url } = await serveSource(context, pagesOf([newer, older, null, 'x', {}], 10))
  assert.deepEqual(
    (await read(url)).map(({ price }) => price),
    [6n],
  )
})

test('the source URL may end with the route', async (context) => {
  const { url, requests } = await serveSource(context, pagesOf(many(2), 500))
  for (const end of ['', '/', '/discovery/resources', '/discovery/resources/']) {
    assert.equal((await read(url + end)).length, 2)
  }
  assert.equal(new Set(requests).size, 1)
})
