import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import type { UpstreamPlace } from '@tollbook/upstream/ask-upstream'
import { createWorkerPool } from '@tollbook/workers/pool'
import { ownPagesFirst } from '../own-pages-first.ts'
import type { SearchBackend, SearchQuery } from '../search-backend.ts'
import { firstThatAnswers } from './first-that-answers.ts'
import { createMediaWiki } from './mediawiki.ts'
import { createSearxng } from './searxng.ts'
import { createTavily } from './tavily.ts'

const NEVER = new AbortController().signal
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())
const KEY = 'tvly-0123456789'
const golden = (name: string) => readFileSync(new URL(`./golden/${name}.json`, import.meta.url), 'utf8')
const fetch = createSafeFetch({ allowPrivateNetwork: true })

const QUERY: SearchQuery = {
  text: 'tide tables',
  maxResults: 5,
  topic: 'general',
  days: null,
  includeDomains: [],
  excludeDomains: [],
  now: TEST_TIME,
}

type Asked = { method: string; path: string; authorization: string | undefined; body: string }
type Given = { status?: number; headers?: Record<string, string>; body: string }

/** An upstream that returns these answers in order, repeating the last one. */
async function answering(
  answers: readonly Given[],
  work: (place: UpstreamPlace, requested: readonly Asked[]) => Promise<void>,
) {
  const requested: Asked[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const answer = answers[Math.min(requested.length, answers.length - 1)]
    requested.push({ method, path, authorization: headers.authorization, body: await readText(request) })
    response.writeHead(answer?.status ?? 200, { 'content-type': 'application/json', ...answer?.headers })
    response.end(answer?.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    await work({ url: `http://127.0.0.1:${port}`, fetch }, requested)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const EMPTY = { body: '{"results":[]}' }

test('SearXNG is queried with a form for JSON, and its results are parsed', async () => {
  await answering([{ body: golden('searxng') }, EMPTY], async (place, requested) => {
    const found = await createSearxng(place).search({ ...QUERY, topic: 'news', days: 7 }, NEVER)
    assert.deepEqual(
      requested.map(({ method, path, body }) => [
        method,
        path,
        Object.fromEntries(new URLSearchParams(body)),
      ]),
      [1, 2].map((page) => [
        'POST',
        '/search',
        {
          q: 'tide tables',
          format: 'json',
          categories: 'news',
          pageno: `${page}`,
          // The documented ranges are a day, a month and a year.
          time_range: 'month',
        },
      ]),
    )
    // The page of 1999 is older than 7 days; scores are divided by the best one, 4.
    assert.deepEqual(found, {
      provider: 'searxng',
      hits: [
        {
          url: 'https://sea.example/tables',
          title: 'Tide tables',
          score: 1,
          favicon: null,
          content: 'High water at Saint-Malo is given for each day.',
          publishedDate: '2026-11-19T06:30:00.000Z',
        },
        {
          url: 'https://www.port.example/water',
          title: 'Water levels',
          score: 0.25,
          favicon: null,
          content: '',
          publishedDate: null,
        },
      ],
    })
  })
})

test('results that SearXNG cannot filter are filtered afterwards', async () => {
  await answering([{ body: golden('searxng') }], async (place, requested) => {
    const hosts = async (more: Partial<SearchQuery>) => {
      const { hits } = await createSearxng(place).search({ ...QUERY, ...more }, NEVER)
      return hits.map(({ url }) => new URL(url).host)
    }
    assert.deepEqual(await hosts({ includeDomains: ['port.example'] }), ['www.port.example'])
    assert.equal(new URLSearchParams(requested[0]?.body).get('q'), 'tide tables site:port.example')
    assert.deepEqual(await hosts({ excludeDomains: ['sea.example', 'old.example'] }), ['www.port.example'])
    assert.deepEqual(await hosts({ maxResults: 1 }), ['sea.example'])
  })
})

test('Tavily is queried with the key and the options, and its results are parsed', async () => {
  await answering([{ body: golden('tavily') }], async (place, requested) => {
    const query = {
      ...QUERY,
      days: 7,
      maxResults: 3,
      includeDomains: ['sea.example'],
      excludeDomains: ['a.b'],
    }
    const { provider, hits } = await createTavily(place, KEY).search(query, NEVER)
    const [request] = requested
    assert.deepEqual([request?.path, request?.authorization], ['/search', `Bearer ${KEY}`])
    assert.deepEqual(JSON.parse(request?.body ?? ''), {
      query: 'tide tables',
      max_results: 3,
      topic: 'general',
      search_depth: 'basic',
      include_answer: false,
      include_favicon: true,
      // Seven days before 2026-11-21.
      start_date: '2026-11-14',
      include_domains: ['sea.example'],
      exclude_domains: ['a.b'],
    })
    assert.equal(provider, 'tavily')
    assert.deepEqual(hits[0], {
      url: 'https://sea.example/tables',
      title: 'Tide tables',
      score: 0.81025416,
      content: 'High water at Saint-Malo is given for each day.',
      publishedDate: '2026-11-19T06:30:00.000Z',
      favicon: 'https://sea.example/favicon.ico',
    })
    assert.deepEqual([hits[1]?.publishedDate, hits[1]?.favicon], [null, null])
  })
})

test('a failed upstream is reported without its text, address and key', async () => {
  const failures: [Given, code: string, detail: RegExp][] = [
    [
      { status: 401, body: `{"detail":"${KEY} is wrong"}` },
      'upstream_failed',
      /^The search upstream answered 401\.$/,
    ],
    [
      { status: 302, headers: { location: 'http://127.0.0.1/' }, body: '' },
      'upstream_failed',
      /answered 302/,
    ],
    [{ status: 429, headers: { 'retry-after': '7' }, body: '' }, 'unavailable', /no more requests/],
    [{ body: '<html>' }, 'upstream_failed', /something other than search results/],
    [{ body: '{"results":[{"url":1}]}' }, 'upstream_failed', /something other/],
  ]
  for (const [answer, code, detail] of failures)
    await answering([answer], async (place) => {
      const error = await createTavily(place, KEY)
        .search(QUERY, NEVER)
        .catch((reason: unknown) => reason)
      assert.ok(error instanceof ProblemError)
      assert.equal(error.problem.code, code)
      assert.match(error.problem.detail, detail)
      assert.ok(!JSON.stringify([error.message, error.stack, error.problem]).includes(KEY))
      if (code === 'unavailable') assert.equal(error.problem.retryAfterSeconds, 7)
    })
})

test('the second upstream answers if the first cannot be reached', async () => {
  await answering([{ body: golden('tavily') }], async (place) => {
    const gone = createSearxng({ url: 'http://127.0.0.1:1', fetch })
    const found = await firstThatAnswers([gone, createTavily(place, KEY)]).search(QUERY, NEVER)
    assert.equal(found.provider, 'tavily')
    await assert.rejects(firstThatAnswers([gone]).search(QUERY, NEVER), {
      message: 'upstream_failed: The search upstream cannot be reached.',
    })
  })
})

const WIKI = [{ body: golden('mediawiki') }, { body: golden('mediawiki-page') }]

test('a wiki is searched by its API, and the first article is read as a whole', async () => {
  await answering(WIKI, async (place, requested) => {
    const wiki = createMediaWiki({ ...place, url: `${place.url}/w/api.php`, workers })
    const found = await wiki.search({ ...QUERY, text: '-insource:/tide/ tables?' }, NEVER)
    const [search, page] = requested.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
    const common = {
      action: 'query',
      format: 'json',
      formatversion: '2',
      prop: 'extracts|info',
      inprop: 'url',
      explaintext: '1',
      exsectionformat: 'plain',
    }
    // Operators of CirrusSearch are left out.
    const generator = { generator: 'search', gsrsearch: 'insource tide tables', gsrlimit: '5' }
    assert.deepEqual(search, { ...common, ...generator, exlimit: 'max', exintro: '1' })
    assert.deepEqual(page, { ...common, pageids: '7' })
    assert.deepEqual(
      requested.map(({ path }) => path),
      ['/w/api.php', '/w/api.php'],
    )
    const [first, second] = found.hits
    assert.equal(found.provider, 'mediawiki')
    assert.deepEqual([first?.url, first?.score], ['https://wiki.example/wiki/Tide', 1])
    assert.match(first?.content ?? '', /Tide tables are printed each year/)
    assert.deepEqual(second, {
      title: 'Tide table',
      url: 'https://wiki.example/wiki/Tide_table',
      content: 'A tide table lists high and low water.',
      score: 0.5,
      publishedDate: null,
      favicon: null,
    })
  })
})

test('answers in the forms that wikis were recorded to give are read, without missing pages', async () => {
  const gone = { body: '{"batchcomplete":true,"query":{"pages":[{"pageid":7,"missing":true}]}}' }
  for (const form of ['mediawiki-recorded', 'mediawiki-version-1'])
    await answering([{ body: golden(form) }, gone], async (place, requested) => {
      const { hits } = await createMediaWiki({ ...place, workers }).search(QUERY, NEVER)
      assert.equal(hits.map(({ title }) => title).join(), 'Tide,Tide table')
      assert.equal(hits[0]?.content, 'Tides are the rise and fall of sea levels.')
      assert.equal(new URLSearchParams(requested[1]?.body).get('pageids'), '7')
    })
})

test('a wiki has no news and no dates, and its domain may be excluded', async () => {
  await answering(WIKI, async (place, requested) => {
    const wiki = createMediaWiki({ ...place, workers })
    for (const more of [{ topic: 'news' as const }, { days: 7 }, { text: '"/' }])
      assert.deepEqual((await wiki.search({ ...QUERY, ...more }, NEVER)).hits, [])
    assert.equal(requested.length, 0)
    const excluded = await wiki.search({ ...QUERY, excludeDomains: ['wiki.example'] }, NEVER)
    assert.deepEqual([excluded.hits, requested.length], [[], 1])
  })
})

test('an error of a wiki is upstream_failed, and no result is no hit', async () => {
  const error = { body: '{"error":{"code":"ratelimited","info":"You have exceeded your rate limit."}}' }
  await answering([error, { body: '{"batchcomplete":true}' }], async (place) => {
    const wiki = createMediaWiki({ ...place, workers })
    await assert.rejects(wiki.search(QUERY, NEVER), (failure) => {
      assert.ok(failure instanceof ProblemError)
      assert.equal(failure.problem.code, 'upstream_failed')
      return true
    })
    assert.deepEqual(await wiki.search(QUERY, NEVER), { provider: 'mediawiki', hits: [] })
  })
})

test('stored pages that cover the query are found without the upstream; others not instead of it', async () => {
  const stored = (score: number): SearchBackend => ({
    isReady: () => true,
    search: async () => ({
      provider: 'index',
      hits: [
        { title: '', url: 'https://own.example/', content: '', score, publishedDate: null, favicon: null },
      ],
    }),
  })
  await answering([{ status: 500, body: '' }, ...WIKI], async (place, requested) => {
    const wiki = createMediaWiki({ ...place, workers })
    const search = (score: number, more = {}) =>
      ownPagesFirst(stored(score), wiki).search({ ...QUERY, ...more }, NEVER)
    assert.deepEqual([(await search(0.6)).provider, requested.length], ['index', 0])
    await assert.rejects(search(0.5), /^ProblemError: upstream_failed/)
    assert.equal((await search(0.5)).provider, 'mediawiki')
    assert.equal((await ownPagesFirst(stored(0.5), null).search(QUERY, NEVER)).hits.length, 1)
    const empty: SearchBackend = { ...stored(0), search: async () => ({ provider: 'index', hits: [] }) }
    const news = { ...QUERY, topic: 'news' } as const
    await assert.rejects(ownPagesFirst(empty, wiki).search(news, NEVER), /No source of news is set up/)
    assert.equal((await search(0.6, { topic: 'news' })).provider, 'index')
  })
})
