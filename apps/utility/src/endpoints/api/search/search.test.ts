import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { issuesOf, runEndpoint, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { createWorkerPool } from '@tollbook/workers/pool'
import { openPageIndex } from '../../../search/pages/page-index.ts'
import { savePage, wordsOfPage } from '../../../search/pages/page-store.ts'
import type { SearchBackend } from '../../../search/search-backend.ts'
import { search } from './endpoint.ts'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

onEveryState('a search finds imported pages and quotes them as an answer', async (state) => {
  const page = {
    url: 'https://docs.base.org/',
    title: 'Base docs',
    isNews: false,
    content: 'Base produces a block about every two seconds.',
    publishedAt: new Date('2026-05-02T08:00:00Z'),
  }
  await savePage(state, { page, words: wordsOfPage(page), source: 'imported', now: TEST_TIME })
  const ports = utilityPorts(state, { workers, search: await openPageIndex({ state, workers }) })
  assert.deepEqual(search.availability?.(ports), { isAvailable: true })
  const { response_time, request_id, ...answer } = await runEndpoint(
    search,
    { query: 'base l2 block seconds' },
    { ports },
  )
  const [result] = answer.results
  assert.deepEqual(answer, {
    query: 'base l2 block seconds',
    answer: 'Base produces a block about every two seconds [1].',
    answer_note: null,
    answer_type: 'extractive',
    citations: [1],
    provider: 'index',
    ts: TEST_TIME.toISOString(),
    results: [
      {
        title: 'Base docs',
        url: 'https://docs.base.org/',
        content: page.content,
        score: result.score,
        published_date: '2026-05-02T08:00:00.000Z',
        favicon: null,
      },
    ],
  })
  assert.ok(response_time >= 0 && request_id !== '' && result.score > 0.5)
  const short = await runEndpoint(search, { query: 'block', include_answer: false }, { ports })
  assert.deepEqual([short.answer, short.answer_type, short.citations], [null, null, []])
  assert.equal(short.answer_note, null)
  const why = await runEndpoint(search, { query: 'who invented the block?' }, { ports })
  assert.deepEqual([why.answer, why.results.length > 0], [null, true])
  assert.equal(why.answer_note, 'No sentence of the results says who. Read the passages of the results.')
  const year = await runEndpoint(search, { query: 'block', time_range: 'year' }, { ports })
  assert.equal(year.results.length, 1)
  await assert.rejects(
    runEndpoint(search, { query: 'block', time_range: 'w' }, { ports }),
    /Nothing was found/,
  )
})

onSqliteState('two sections of a page are one result', async (state) => {
  const hit = { title: 'Tides', content: 'Tides differ.', score: 1, publishedDate: null, favicon: null }
  const urls = ['https://a.example/tides', 'https://a.example/tides#History', 'https://a.example/moon']
  const hits = urls.map((url) => ({ ...hit, url }))
  const found: SearchBackend = { isReady: () => true, search: async () => ({ provider: 'searxng', hits }) }
  const ports = utilityPorts(state, { workers, search: found })
  const { results } = await runEndpoint(search, { query: 'tides' }, { ports })
  assert.deepEqual(
    results.map(({ url }: { url: string }) => url),
    [urls[0], urls[2]],
  )
})

onSqliteState(
  'without upstream and pages the endpoint is not sold, and the error says what is missing',
  async (state) => {
    const ports = utilityPorts(state, { workers, search: await openPageIndex({ state, workers }) })
    const availability = search.availability?.(ports)
    assert.ok(availability && !availability.isAvailable)
    assert.equal(availability.problem.code, 'not_configured')
    assert.match(availability.problem.detail, /TOLLBOOK_SEARXNG_URL .*tollbook import pages/)
  },
)

test('invalid arguments are reported before payment', () => {
  const parametersOf = (provided: object) =>
    issuesOf(search, { query: 'tide', ...provided }).map(({ parameter }) => parameter)
  assert.deepEqual(parametersOf({}), [])
  assert.deepEqual(parametersOf({ query: ' ?! ' }), ['query'])
  assert.deepEqual(parametersOf({ query: 'x'.repeat(401) }), ['query'])
  assert.deepEqual(parametersOf({ max_results: 11 }), ['max_results'])
  assert.deepEqual(parametersOf({ topic: 'sports' }), ['topic'])
  assert.deepEqual(parametersOf({ days: 3, time_range: 'week' }), ['time_range'])
  assert.deepEqual(parametersOf({ include_domains: ['Example.COM.', 'münchen.example'] }), [])
  assert.deepEqual(parametersOf({ include_domains: ['a_b.example', 'a b', "x' or 1"] }), [
    'include_domains.0',
    'include_domains.1',
    'include_domains.2',
  ])
})
