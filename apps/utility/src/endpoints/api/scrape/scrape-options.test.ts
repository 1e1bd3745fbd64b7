import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { issuesOf, runEndpoint, TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { createWorkerPool } from '@tollbook/workers/pool'
import { createPageCache } from '../../../page/page-cache.ts'
import { scrape } from './endpoint.ts'
import { scrapePages } from './scrape-pages.ts'

const PAGE = `<html lang="en"><title>Boats</title><body><nav><a href="/">Home</a></nav>
<section class="one"><h2>Sloop</h2><p>One <b>mast</b>.</p><p class="ad">Buy now</p></section>
<section class="two"><h2>Ketch</h2><p>Two masts.</p></section></body></html>`
const requests: { path: string; headers: IncomingHttpHeaders }[] = []
const server = createServer((request, response) => {
  const path = request.url ?? ''
  requests.push({ path, headers: request.headers })
  if (path === '/gone') response.writeHead(404).end()
  else if (path === '/private')
    response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'private' }).end(PAGE)
  else response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
})
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
const pageCache = createPageCache()
const ports = { fetch: createSafeFetch({ allowPrivateNetwork: true }), workers, pageCache }
let origin = ''
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  server.close()
  await workers.close()
})

const ask = (path: string, provided = {}, now = TEST_TIME) =>
  runEndpoint(scrape, { url: `${origin}${path}`, ...provided }, { ports, now })

test('one call returns several formats', async () => {
  const answer = await ask('/', { main_only: false, formats: ['text', 'html', 'raw_html', 'links'] })
  assert.equal(
    answer.markdown,
    `[Home](${origin}/)\n\n## Sloop\n\nOne **mast**.\n\nBuy now\n\n## Ketch\n\nTwo masts.\n`,
  )
  assert.equal(answer.text, 'Home\n\nSloop\n\nOne mast.\n\nBuy now\n\nKetch\n\nTwo masts.')
  assert.match(answer.html, /<h2>Sloop<\/h2>\s*<p>One <strong>mast<\/strong>\.<\/p>/)
  assert.equal(answer.raw_html, PAGE)
  assert.deepEqual(answer.links, [{ text: 'Home', href: `${origin}/` }])
})

test('selectors choose the content in document order and drop parts of it', async () => {
  const chosen = {
    include_selectors: ['section.two', '.one', 'section.one p'],
    exclude_selectors: ['.ad', '.two > p'],
  }
  const { markdown, extractor } = await ask('/', chosen)
  assert.deepEqual([markdown, extractor], ['## Sloop\n\nOne **mast**.\n\n## Ketch\n', 'selectors'])
  await assert.rejects(ask('/', { include_selectors: ['table'] }), {
    message: /^cannot_be_served: No element/,
  })
})

test('language and request headers are sent, and credentials and line breaks are refused', async () => {
  await ask('/', { language: 'de-CH, de;q=0.8', headers: { referer: 'https://example.com/' } })
  const { headers } = requests.at(-1) ?? assert.fail()
  assert.deepEqual([headers['accept-language'], headers.referer], ['de-CH, de;q=0.8', 'https://example.com/'])
  const parameters = (provided: object) =>
    issuesOf(scrape, { url: origin, ...provided }).map(({ parameter }) => parameter)
  for (const name of ['cookie', 'authorization', 'host', 'transfer-encoding', 'connection'])
    assert.deepEqual(parameters({ headers: { [name]: 'a' } }), ['headers'], name)
  assert.deepEqual(parameters({ headers: { referer: 'a\r\nhost: b' } }), ['headers'])
  assert.deepEqual(parameters({ language: 'de\r\nhost: b' }), ['language'])
  assert.deepEqual(parameters({ language: 'de', headers: { 'accept-language': 'en' } }), ['language'])
})

test('a page is reused up to max_age, for the same headers, and if it may be shared', async () => {
  const later = new Date(TEST_TIME.getTime() + 60_000)
  const first = await ask('/cached', { max_age: 60 })
  const again = await ask('/cached', { max_age: 60 }, later)
  assert.deepEqual(
    [first.cached, again.cached, again.fetched_at, again.ts],
    [false, true, TEST_TIME.toISOString(), later.toISOString()],
  )
  assert.equal((await ask('/cached', { max_age: 60, language: 'de' }, later)).cached, false)
  assert.equal((await ask('/cached', {}, later)).cached, false)
  assert.equal((await ask('/cached', { max_age: 59 }, later)).cached, false)
  await ask('/private', { max_age: 60 })
  assert.equal((await ask('/private', { max_age: 60 })).cached, false)
})

test('each of several pages has its outcome, and a call without a page is refused', async () => {
  const urls = [`${origin}/a`, `${origin}/gone`, 'http://[::ffff:0:0]:1/', `${origin}/b`]
  const { results, succeeded } = await runEndpoint(scrape, { urls }, { ports })
  assert.deepEqual(
    results.map((result: { url: string; page: object | null; problem: { code: string } | null }) => [
      result.url,
      result.page !== null,
      result.problem?.code ?? null,
    ]),
    [
      [urls[0], true, null],
      [urls[1], false, 'upstream_failed'],
      [urls[2], false, results[2].problem.code],
      [urls[3], true, null],
    ],
  )
  assert.equal(succeeded, 2)
  await assert.rejects(runEndpoint(scrape, { urls: [`${origin}/gone`] }, { ports }), {
    message: 'upstream_failed: The page responded with 404.',
  })
})

test('ten pages of one call have their content or their problem, in the order of the call', async () => {
  const urls = Array.from({ length: 10 }, (_, at) => `${origin}${at % 4 === 3 ? '/gone' : `/page-${at}`}`)
  const options = { include_selectors: ['.two'], formats: ['text'] }
  const { results, succeeded } = await runEndpoint(scrape, { urls, max_chars: 1_000, ...options }, { ports })
  const page = { markdown: '## Ketch\n\nTwo masts.\n', text: 'Ketch\n\nTwo masts.', lang: 'en' }
  const problem = { code: 'upstream_failed', detail: 'The page responded with 404.' }
  assert.deepEqual(
    results.map(({ url, ...one }: { url: string; page: typeof page | null; problem: object | null }) => ({
      url,
      page: one.page && { markdown: one.page.markdown, text: one.page.text, lang: one.page.lang },
      problem: one.problem,
    })),
    urls.map((url) => (url.endsWith('/gone') ? { url, page: null, problem } : { url, page, problem: null })),
  )
  // All but the pages 3 and 7.
  assert.equal(succeeded, 8)
})

test('options that cannot be served are refused before payment', () => {
  const issues = (provided: object) =>
    issuesOf(scrape, provided).map(({ parameter, detail }) => `${parameter} ${detail}`)
  const url = 'https://example.com/'
  assert.deepEqual(issues({}), ['url is required without urls, html or file'])
  assert.deepEqual(issues({ url, urls: [url] }), ['urls is allowed only without url'])
  assert.equal(issues({ urls: Array.from({ length: 11 }, () => url) }).length, 1)
  assert.equal(issues({ urls: [url, url], max_chars: 600_000 }).length, 1)
  assert.deepEqual(issues({ url, wait_for: 'a[' })[0], 'wait_for is not a valid CSS selector')
  for (const more of [{ wait_for: 'a' }, { formats: ['screenshot'] }])
    assert.match(issues({ url, ...more }).join(), /^render cannot be always.* no browser is configured/)
  assert.match(issues({ url, wait_for: 'a', render: 'never' }).join(), /^render must not be never/)
  assert.match(
    issues({ urls: [url], formats: ['screenshot'] }).join(),
    /^formats must not contain screenshot/,
  )
  const selector = (text: string) => issues({ url, include_selectors: [text] })
  assert.deepEqual(selector('a['), ['include_selectors is not a valid CSS selector'])
  assert.deepEqual(selector('div:has(a)'), ['include_selectors must not contain :has'])
  assert.deepEqual(selector('a b c d e f'), ['include_selectors must have at most 4 combinators'])
  assert.deepEqual(selector('x ~ p ~ p'), ['include_selectors must not contain ~'])
  assert.deepEqual(selector('p::before'), ['include_selectors is not a valid CSS selector'])
  assert.equal(selector(`a${'>a'.repeat(200)}`).length, 1)
  assert.deepEqual(selector('main > p:not(.ad), #a'), [])
})

test('the cache drops its oldest pages at its limits', () => {
  const cache = createPageCache({ maxBytes: 10, maxPages: 2 })
  const offer = (key: string, bytes: number, status = 200) =>
    cache.offer(key, {
      page: {
        url: key,
        finalUrl: key,
        status,
        redirects: [],
        headers: {},
        body: new Uint8Array(bytes),
        fetchMs: 1,
      },
      fetchedAt: TEST_TIME,
    })
  const retained = () => ['a', 'b', 'c'].filter((key) => cache.get(key, 1, TEST_TIME) !== null)
  offer('a', 4)
  offer('b', 4)
  offer('c', 4)
  assert.deepEqual(retained(), ['b', 'c'])
  offer('b', 4)
  offer('a', 11)
  assert.deepEqual(retained(), [])
  offer('a', 1, 203)
  assert.deepEqual(retained(), [])
})

test('slow pages take only the time of the call, and pages that were read are returned', async () => {
  const hanging = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => hanging.once('listening', resolve))
  const { port } = hanging.address() as AddressInfo
  const slow = Array.from({ length: 9 }, (_, at) => `http://127.0.0.1:${port}/${at}`)
  const deadline = new AbortController()
  // The time ends once the only page that answers has been read.
  const run: typeof workers.run = (...work) =>
    workers.run(...work).finally(() => setImmediate(() => deadline.abort()))
  const call = {
    input: scrape.input.parse({ urls: [`${origin}/a`, ...slow] }),
    ports: { ...ports, workers: { ...workers, run } },
    payer: TEST_PAYER,
    files: new Map(),
    signal: new AbortController().signal,
    now: TEST_TIME,
  }
  const { results, succeeded } = await scrapePages(call.input.urls, call as never, deadline.signal)
  assert.equal(succeeded, 1)
  assert.deepEqual([...new Set(results.slice(1).map(({ problem }) => problem?.code))], ['upstream_timeout'])
  hanging.closeAllConnections()
  hanging.close()
})
