import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { createWorkerPool } from '@tollbook/workers/pool'
import { metadata } from './endpoint.ts'

const HEAD = `<!doctype html><html lang="de"><head><title>Gezeiten</title>
<meta name="description" content="Der Mond"><meta name="robots" content="noindex">
<link rel="icon" href="/i.png"></head><body><p>Text</p></body></html>`

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
let site: Awaited<ReturnType<typeof servePages>>
before(async () => {
  site = await servePages({
    '/post': {
      body: HEAD,
      headers: { link: '<https://example.com/post>; rel="canonical"', 'x-robots-tag': 'none' },
    },
    '/brackets': {
      body: HEAD,
      headers: { link: `${'<'.repeat(20_000)}https://example.com/>; rel=canonical` },
    },
    '/moved': { status: 301, headers: { location: '/post' } },
    '/latin': {
      body: Buffer.from('<title>M\u00fcnchen</title>', 'latin1'),
      headers: { 'content-type': 'text/html; charset=iso-8859-1' },
    },
    '/picture': { body: 'GIF89a', headers: { 'content-type': 'image/gif' } },
    '/deep': '<div>'.repeat(20_000),
    '/gone': { status: 410 },
  })
})
after(async () => {
  site.close()
  await workers.close()
})

const fetch = createSafeFetch({ allowPrivateNetwork: true })
const ask = (path: string, ports = { fetch, workers }) =>
  runEndpoint(metadata, { url: `${site.url}${path}` }, { ports })

test('a page is described with its URL after redirects and the data of its headers', async () => {
  const { fetch_ms, ...answer } = await ask('/moved')
  const none = { type: null, sizes: null, hreflang: null, title: null }
  assert.deepEqual(answer, {
    url: `${site.url}/moved`,
    final_url: `${site.url}/post`,
    status: 200,
    redirects: [{ url: `${site.url}/moved`, status: 301 }],
    bytes: HEAD.length,
    title: 'Gezeiten',
    charset: 'utf-8',
    lang: 'de',
    canonical: 'https://example.com/post',
    description: 'Der Mond',
    robots: 'noindex',
    meta: {
      open_graph: [],
      twitter: [],
      dublin_core: [],
      http_equiv: [],
      itemprop: [],
      other: [],
      named: [
        { key: 'description', content: 'Der Mond' },
        { key: 'robots', content: 'noindex' },
      ],
    },
    links: [{ ...none, rel: 'icon', href: `${site.url}/i.png` }],
    json_ld: [],
    http_headers: {
      link: '<https://example.com/post>; rel="canonical"',
      x_robots_tag: 'none',
      content_language: null,
    },
    counts: { meta: 2, links: 1, json_ld: 0 },
    ts: '2026-11-21T10:00:00.000Z',
  })
  assert.ok(fetch_ms > 0)
})

test('a header of nothing but brackets is read once', async () => {
  assert.equal((await ask('/brackets')).canonical, 'https://example.com/')
})

test('a page is decoded with its declared encoding', async () => {
  const { title, charset } = await ask('/latin')
  // The Encoding Standard decodes ISO-8859-1 as windows-1252.
  assert.deepEqual([title, charset], ['München', 'windows-1252'])
})

test('a page that is not HTML, too deep, gone or unreachable is rejected and not charged', async () => {
  await assert.rejects(ask('/picture'), {
    message: /^cannot_be_served: The page is image\/gif; HTML is required/,
  })
  await assert.rejects(ask('/deep'), { message: /^cannot_be_served: The page cannot be processed/ })
  await assert.rejects(ask('/gone'), { message: 'upstream_failed: The page responded with 410.' })
  const strict = { fetch: createSafeFetch({ allowPrivateNetwork: false }), workers }
  await assert.rejects(ask('/post', strict), { message: /^invalid_request: The URL cannot be fetched/ })
  const closed = { url: 'http://127.0.0.1:1/' }
  await assert.rejects(runEndpoint(metadata, closed, { ports: { fetch, workers } }), {
    message: /^upstream_failed/,
  })
})

test('an invalid URL is reported before payment', () => {
  for (const url of ['', 'example.com', 'ftp://example.com', 'javascript:alert(1)'])
    assert.equal(issuesOf(metadata, { url })[0]?.parameter, 'url', url)
})
