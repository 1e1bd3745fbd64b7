import assert from 'node:assert/strict'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial, testWorkers } from '@tollbook/testing/social/open-social'
import { openXUpstream, type XUpstreamAnswer, xProvider } from '@tollbook/testing/social/x-upstream'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import type { State } from '../../state/state.ts'
import { saveBundle } from '../store/save-bundle.ts'
import { createStoreProvider } from '../store/store-provider.ts'
import { createReadThrough } from './read-through.ts'

const upstream = await openXUpstream()
const jun = { id: '7', name: 'Jun', username: 'jun', public_metrics: { followers_count: 3 } }
const tweet = (id: string, text = `Tide ${id}`) => ({ id, text, author_id: '7' })
const gone = (parameter: string) => ({
  errors: [{ parameter, type: 'https://api.twitter.com/2/problems/resource-not-found' }],
})

/** The service on `store,x`, with a clock controlled by the test. */
async function open(state: State) {
  const clock = { now: TEST_TIME }
  const store = createStoreProvider({ state, workers: testWorkers() })
  const nowMs = () => clock.now.getTime()
  const x = xProvider({ url: upstream.url, state, nowMs, breaker: { nowMs } })
  const times = { now: () => clock.now, objectMs: 86_400_000, pageMs: 300_000 }
  const readThrough = createReadThrough({ state, store, upstream: x, ...times })
  const { ask } = await openSocial(state, readThrough)
  upstream.asked.length = 0
  return {
    clock,
    readThrough,
    ask: (path: string) => ask(path, { payer: TEST_PAYER }),
    answer(given: XUpstreamAnswer | ((path: string) => XUpstreamAnswer)) {
      upstream.answer = ({ path }) => (typeof given === 'function' ? given(path) : given)
    },
    asked: () =>
      upstream.asked.splice(0).map(({ path, query }) => `${path} ${query.get('ids') ?? ''}`.trim()),
    later(ms: number) {
      clock.now = new Date(clock.now.getTime() + ms)
    },
  }
}

onEveryState('an object is served from the store until its TTL expires', async (state) => {
  const { ask, answer, asked, later } = await open(state)
  answer({ body: { data: tweet('20'), includes: { users: [jun] } } })
  const first = await ask('/tweets/by/id?id=20')
  assert.equal(first.body.data.author.username, 'jun')
  assert.deepEqual(await ask('/tweets/by/id?id=20').then(({ body }) => body.data), first.body.data)
  assert.equal((await ask('/users/by/username?username=JUN')).body.data.id, '7')
  assert.deepEqual(asked(), ['/2/tweets/20'])
  later(86_400_001)
  answer({ body: { data: tweet('20', 'Edited'), includes: { users: [jun] } } })
  assert.equal((await ask('/tweets/by/id?id=20')).body.data.text, 'Edited')
  assert.deepEqual(asked(), ['/2/tweets/20'])
})

onEveryState(
  'an object that the upstream no longer has is deleted, including its index entries',
  async (state) => {
    const { ask, answer, later, readThrough } = await open(state)
    const articles = [{ id: '20', title: 'T', article_content: '# T', content_format: 'rich' as const }]
    const lists = [{ id: '5', name: 'Ports', owner_id: '7' }]
    await saveBundle(state, { users: [jun], tweets: [tweet('20'), tweet('21')], lists, articles }, TEST_TIME)
    const store = await openSocial(state)
    const count = async (path: string) =>
      (await store.ask(path, { payer: TEST_PAYER })).body.meta?.result_count ?? 0
    assert.equal(await count('/tweets/search?words=tide'), 2)
    later(86_400_001)
    answer({ body: gone('id') })
    assert.equal((await ask('/tweets/by/id?id=20')).status, 404)
    assert.equal((await ask('/lists/by/id?id=5')).status, 404)
    assert.equal(await count('/tweets/search?words=tide'), 1)
    assert.equal((await store.ask('/articles/by/id?id=20', { payer: TEST_PAYER })).status, 404)
    answer({ body: gone('username') })
    assert.equal((await ask('/users/by/username?username=jun')).status, 404)
    assert.equal(await count('/tweets/search?words=tide'), 0)
    assert.equal(await count('/users/search?query=jun'), 0)
    assert.equal(readThrough.name, 'store,x')
  },
)

onSqliteState('for a batch, only stale objects are requested from the upstream', async (state) => {
  const { ask, answer, asked } = await open(state)
  await saveBundle(state, { users: [jun], tweets: [tweet('21')] }, TEST_TIME)
  await saveBundle(state, { tweets: [tweet('22', 'Old')] }, new Date(TEST_TIME.getTime() - 86_400_001))
  answer({ body: { data: [tweet('20')], includes: { users: [jun] }, ...gone('ids') } })
  const { body } = await ask('/tweets?ids=20,21,22')
  assert.deepEqual(asked(), ['/2/tweets 20,22'])
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id)
  assert.deepEqual(ids(body.data), ['20', '21'])
  assert.deepEqual(ids(body.includes.users), ['7'])
  assert.deepEqual(
    body.errors.map(({ resource_id }: { resource_id: string }) => resource_id),
    ['22'],
  )
  assert.equal((await ask('/tweets?ids=20,21')).body.data.length, 2)
  assert.deepEqual(asked(), [])
})

onEveryState('a page is never built from stored objects, and is repeated for a while', async (state) => {
  const { ask, answer, asked, later } = await open(state)
  await saveBundle(state, { users: [jun], tweets: [tweet('20'), tweet('30')] }, TEST_TIME)
  answer((path) => {
    if (path === '/2/users/by/username/jun') return { body: { data: jun } }
    const next = upstream.asked.at(-1)?.query.get('pagination_token')
    return next === 'second'
      ? { body: { data: [tweet('18')], meta: { result_count: 1 } } }
      : { body: { data: [tweet('20'), tweet('19')], meta: { result_count: 2, next_token: 'second' } } }
  })
  const first = await ask('/tweets/user?username=jun')
  const ids = ({ body }: typeof first) => body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(ids(first), ['20', '19'])
  const second = await ask(`/tweets/user?username=jun&next_token=${first.body.meta.next_token}`)
  assert.deepEqual([ids(second), second.body.meta.next_token], [['18'], undefined])
  assert.deepEqual(asked().length, 3)
  const again = await ask('/tweets/user?username=jun')
  assert.deepEqual(ids(again), ['20', '19'])
  assert.equal(again.body.data[0].author.username, 'jun')
  const further = await ask(`/tweets/user?username=jun&next_token=${again.body.meta.next_token}`)
  assert.deepEqual([ids(further), asked()], [['18'], []])
  later(300_000)
  await ask('/tweets/user?username=jun')
  assert.deepEqual(asked(), ['/2/users/7/tweets'])
})

onSqliteState('operations that the upstream lacks are answered from the store', async (state) => {
  const { ask, asked, readThrough } = await open(state)
  const communities = [{ id: '9', name: 'Harbour' }]
  const tweets = Array.from({ length: 25 }, (_, at) => ({ ...tweet(String(100 + at)), community_id: '9' }))
  await saveBundle(state, { users: [jun], tweets, communities }, TEST_TIME)
  const first = await ask('/communities/posts?id=9')
  assert.equal(first.body.data.length, 20)
  const second = await ask(`/communities/posts?id=9&next_token=${first.body.meta.next_token}`)
  assert.equal(second.body.data.length, 5)
  assert.equal((await ask('/users/search?query=jun')).body.data.length, 1)
  assert.deepEqual(asked(), [])
  // A position names its source, and other sources reject it.
  const page = { limit: 20, position: 'x:abc' }
  const signal = new AbortController().signal
  await assert.rejects(
    async () => readThrough.operations.tweetsOfCommunity?.('9', page, { signal }),
    /cannot_be_served/,
  )
})

onSqliteState(
  'an imported article keeps its formatting if the upstream has only paragraphs',
  async (state) => {
    const { ask, answer } = await open(state)
    const rich = { id: '20', title: 'T', article_content: '# T', content_format: 'rich' as const }
    const old = new Date(TEST_TIME.getTime() - 86_400_001)
    await saveBundle(state, { users: [jun], tweets: [tweet('20')], articles: [rich] }, old)
    const article = { title: 'T', plain_text: 'One *line*\n\n1. Two' }
    answer({ body: { data: { ...tweet('20'), article }, includes: { users: [jun] } } })
    assert.equal((await ask('/articles/by/id?id=20')).body.data.article_content, '# T')
    answer({ body: { data: { ...tweet('21'), article }, includes: { users: [jun] } } })
    const { body } = await ask('/articles/by/id?id=21')
    assert.deepEqual(
      [body.data.article_content, body.data.content_format],
      ['One \\*line\\*\n\n1\\. Two', 'plain'],
    )
    answer({ body: { data: tweet('22'), includes: { users: [jun] } } })
    assert.equal((await ask('/articles/by/id?id=22')).status, 404)
    answer({ body: { data: { ...tweet('23'), article: { title: 'T', preview_text: 'One' } } } })
    assert.equal((await ask('/articles/by/id?id=23')).status, 502)
  },
)

onSqliteState(
  'while the circuit breaker is open, pages are not offered and cached objects are',
  async (state) => {
    const { ask, answer, readThrough } = await open(state)
    await saveBundle(state, { users: [jun], tweets: [tweet('20')] }, TEST_TIME)
    answer({ status: 401 })
    for (let call = 0; call < 5; call += 1)
      assert.equal((await ask(`/tweets/by/id?id=${30 + call}`)).status, 502)
    assert.deepEqual(
      [readThrough.pauseSeconds?.('quotesOf'), readThrough.pauseSeconds?.('tweetById')],
      [15, 0],
    )
    assert.equal(readThrough.pauseSeconds?.('tweetsOfCommunity'), 0)
    const paused = await ask('/tweets/quote_tweets?id=20')
    assert.deepEqual([paused.status, paused.headers.get('retry-after')], [503, '15'])
    assert.equal((await ask('/tweets/by/id?id=20')).status, 200)
    assert.equal((await ask('/tweets/by/id?id=31')).status, 503)
  },
)
