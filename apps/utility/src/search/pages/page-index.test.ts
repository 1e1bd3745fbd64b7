import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { queryTermsOf } from '@tollbook/flow/text/index-terms'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { createWorkerPool } from '@tollbook/workers/pool'
import type { State } from '../../state/state.ts'
import type { SearchQuery } from '../search-backend.ts'
import { openPageIndex } from './page-index.ts'
import type { PageRecord } from './page-record.ts'
import { savePage, trimPages, wordsOfPage } from './page-store.ts'

const NEVER = new AbortController().signal
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

const QUERY: SearchQuery = {
  text: '',
  maxResults: 5,
  topic: 'general',
  days: null,
  includeDomains: [],
  excludeDomains: [],
  now: TEST_TIME,
}

async function keep(state: State, more: Partial<PageRecord> & { url: string }, source?: 'scraped') {
  const page = { title: '', content: '', publishedAt: null, isNews: false, ...more }
  await savePage(state, { page, words: wordsOfPage(page), source: source ?? 'imported', now: TEST_TIME })
}

async function find(state: State, text: string, more: Partial<SearchQuery> = {}) {
  const index = await openPageIndex({ state, workers })
  return (await index.search({ ...QUERY, text, ...more }, NEVER)).hits
}

const urlsOf = (hits: readonly { url: string }[]) => hits.map(({ url }) => new URL(url).pathname)

onEveryState('the most relevant page comes first, with its relevant passage', async (state) => {
  await keep(state, {
    url: 'https://docs.base.org/blocks',
    title: 'Blocks on Base',
    content: `Base is a layer two.\n${'Fees are low there. '.repeat(40)}\nBase produces a block about every two seconds. Flashblocks come each 200 milliseconds.`,
  })
  await keep(state, { url: 'https://a.example/time', title: 'Time', content: 'What is the time of the day?' })
  await keep(state, { url: 'https://a.example/cake', title: 'Cake', content: 'Sugar, eggs and flour.' })
  const hits = await find(state, 'What is the block time of Base?')
  assert.deepEqual(urlsOf(hits), ['/blocks', '/time'])
  assert.match(hits[0]?.content ?? '', /Base produces a block about every two seconds\./)
  assert.ok((hits[0]?.content.length ?? 0) <= 500)
  assert.ok((hits[0]?.score ?? 0) > (hits[1]?.score ?? 1))
  assert.deepEqual(await find(state, 'zebra'), [])
})

onEveryState('a heading is not merged with the sentence below it', async (state) => {
  const content = 'Fees\nA call costs a tenth of a cent. It is paid in USDC.\nLimits\nNone.'
  await keep(state, { url: 'https://a.example/fees', title: 'Fees', content })
  assert.equal((await find(state, 'cost of a call'))[0]?.content, content)
})

onEveryState(
  'words match in any case, with other endings and accents, and in other scripts',
  async (state) => {
    await keep(state, { url: 'https://a.example/1', content: 'Die Gezeiten ändern sich täglich.' })
    await keep(state, { url: 'https://a.example/2', content: '潮は月に引かれる。' })
    await keep(state, { url: 'https://a.example/3', content: 'Приливы зависят от Луны.' })
    for (const [text, path] of [
      ['GEZEITEN', '/1'],
      ['taglichen', '/1'],
      ['月', '/2'],
      ['приливами', '/3'],
    ] as const)
      assert.deepEqual(urlsOf(await find(state, text)), [path], text)
  },
)

onEveryState('results are filtered by domains, topic, age and number', async (state) => {
  const content = 'The harbour wall was raised.'
  const day = (days: number) => new Date(TEST_TIME.getTime() - days * 86_400_000)
  await keep(state, { url: 'https://example.com/1', content, publishedAt: day(1), isNews: true })
  await keep(state, { url: 'https://www.example.com/2', content, publishedAt: day(30) })
  await keep(state, { url: 'https://notexample.com/3', content })
  const paths = async (more: Partial<SearchQuery>) => urlsOf(await find(state, 'harbour wall', more)).sort()
  assert.deepEqual(await paths({}), ['/1', '/2', '/3'])
  assert.deepEqual(await paths({ includeDomains: ['example.com'] }), ['/1', '/2'])
  assert.deepEqual(await paths({ includeDomains: ['www.example.com', 'notexample.com'] }), ['/2', '/3'])
  assert.deepEqual(await paths({ excludeDomains: ['example.com'] }), ['/3'])
  assert.deepEqual(await paths({ topic: 'news' }), ['/1'])
  assert.deepEqual(await paths({ days: 7 }), ['/1'])
  assert.deepEqual(await paths({ days: 31 }), ['/1', '/2'])
  assert.equal((await paths({ maxResults: 1 })).length, 1)
})

onEveryState('a page that is stored again is found only by its new words', async (state) => {
  await keep(state, { url: 'https://a.example/', content: 'An old harbour.' })
  await keep(state, { url: 'https://a.example/', content: 'A new lighthouse.' })
  assert.deepEqual(await find(state, 'harbour'), [])
  assert.equal((await find(state, 'lighthouse')).length, 1)
})

onEveryState(
  'the oldest scraped pages beyond the limit are deleted, imported ones are not',
  async (state) => {
    await keep(state, { url: 'https://a.example/imported', content: 'harbour' })
    for (const at of [1, 2, 3])
      await keep(state, { url: `https://a.example/${at}`, content: 'harbour' }, 'scraped')
    // Scraping it changes nothing.
    await keep(state, { url: 'https://a.example/imported', content: 'lighthouse' }, 'scraped')
    await trimPages(state, { source: 'scraped', max: 1 })
    assert.deepEqual(urlsOf(await find(state, 'harbour')).sort(), ['/3', '/imported'])
  },
)

onSqliteState(
  'an index is ready once there is a page, even one stored by another process, and without a search',
  async (state) => {
    const index = await openPageIndex({ state, workers }, 5)
    assert.equal(index.isReady(), false)
    await keep(state, { url: 'https://a.example/', content: 'harbour' })
    while (!index.isReady()) await wait(5)
    const again = await openPageIndex({ state, workers })
    assert.equal(again.isReady(), true)
  },
)

onSqliteState('queries that look like database syntax are plain words', async (state) => {
  await keep(state, { url: 'https://a.example/', title: 'NEAR', content: 'near and far' })
  for (const text of [
    '"near',
    'near* OR',
    "near' | '",
    'NOT near',
    'title:near',
    'near)(',
    "near'; drop table page",
  ])
    assert.equal((await find(state, text)).length, 1, text)
})

test('a query uses its significant words, or all of them if there are none', () => {
  assert.deepEqual(queryTermsOf('What is the block time of Base?'), ['block', 'time', 'base'])
  assert.deepEqual(queryTermsOf('What is it?'), ['what', 'is', 'it'])
})
