import assert from 'node:assert/strict'
import { loadConfig } from '@tollbook/runtime/config'
import { socialPorts, testWorkers } from '@tollbook/testing/social/open-social'
import { openXUpstream } from '@tollbook/testing/social/x-upstream'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { Registry } from 'prom-client'
import { createSocialService } from '../service.ts'
import type { TweetQuery } from '../source/provider.ts'
import { isStoreAlone, openSocialProvider } from './social-provider.ts'

const upstream = await openXUpstream()

onSqliteState('the settings select the source of social data', async (state) => {
  const open = (environment: Readonly<Record<string, string>>) => {
    const config = loadConfig({ TOLLBOOK_X_URL: upstream.url, TOLLBOOK_X_TOKEN: 'app-token', ...environment })
    const provider = openSocialProvider({
      config,
      baseUrl: 'https://t.example',
      state,
      workers: testWorkers(),
    })
    return { name: provider.name, operations: provider.operations, isAlone: isStoreAlone(config) }
  }
  const names = ['', 'store', 'x', 'store,x'].map((value) => open({ TOLLBOOK_SOCIAL_PROVIDERS: value }))
  assert.deepEqual(
    names.map(({ name, isAlone, operations }) => [name, isAlone, operations.tweetsOfCommunity !== undefined]),
    [
      ['store', true, true],
      ['store', true, true],
      ['x', false, false],
      ['store,x', false, true],
    ],
  )
  upstream.answer = ({ path }) =>
    path === '/2/users/search'
      ? { body: { data: [], meta: {} } }
      : { body: { data: { id: '20', text: 'T' } } }
  const signal = new AbortController().signal
  const chain = open({ TOLLBOOK_SOCIAL_PROVIDERS: 'store,x', TOLLBOOK_X_USER_TOKEN: 'user-token' }).operations
  assert.equal((await chain.tweetById?.('20', { signal }))?.data.text, 'T')
  await chain.searchUsers?.('jun', { limit: 20, position: null }, { signal })
  assert.deepEqual(
    upstream.asked.map(({ headers }) => headers.authorization),
    ['Bearer app-token', 'Bearer user-token'],
  )
  assert.match(String(upstream.asked[0]?.headers['user-agent']), /^Tollbook\/.*t\.example/)
  const budget = { TOLLBOOK_SOCIAL_PROVIDERS: 'x', TOLLBOOK_SOCIAL_BUDGET: 'searchTweet=5' }
  assert.throws(() => open(budget), /unknown operation searchTweet$/m)
})

const tide: TweetQuery = {
  words: ['tide'],
  phrase: null,
  anyWords: [],
  noneWords: [],
  hashtags: [],
  from: null,
  to: null,
  mentioning: null,
  minReplies: null,
  minLikes: null,
  minReposts: null,
  since: null,
  until: null,
  lang: null,
}

onEveryState('the metrics show how an upstream is used, and nothing of the queries', async (state) => {
  const provider = openSocialProvider({
    config: loadConfig({
      TOLLBOOK_X_URL: upstream.url,
      TOLLBOOK_X_TOKEN: 'app-token',
      TOLLBOOK_SOCIAL_PROVIDERS: 'store,x',
      TOLLBOOK_SOCIAL_BUDGET: 'searchTweets=15 *=100',
      TOLLBOOK_SOCIAL_PAGE_SECONDS: '0',
    }),
    baseUrl: 'https://t.example',
    state,
    workers: testWorkers(),
  })
  const ports = { ...socialPorts(state), provider }
  const service = await createSocialService({ baseUrl: 'https://t.example', ports, pages: {} })
  const registry = new Registry()
  service.registerMetrics?.(registry)
  const { tweetById, searchTweets, followersOf } = provider.operations
  assert.ok(tweetById && searchTweets && followersOf)
  const asking = { signal: new AbortController().signal }
  const shown = async (name: string) =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith(`tollbook_social_upstream_${name}{provider="x"`))
      .map((line) => line.replace(/^\w+\{provider="x",?/, '').replaceAll('"', ''))
      .toSorted()
  const jun = { id: '7', name: 'Jun', username: 'jun' }
  const tweets = ['30', '31', '32'].map((id) => ({ id, text: 'Tide' }))
  upstream.answer = ({ path }) =>
    path === '/2/tweets/20'
      ? { body: { data: { id: '20', text: 'T', author_id: '7' }, includes: { users: [jun] } } }
      : path === '/2/tweets/21'
        ? {
            body: {
              errors: [{ parameter: 'id', type: 'https://api.twitter.com/2/problems/resource-not-found' }],
            },
          }
        : path === '/2/tweets/search/recent'
          ? { body: { data: tweets, meta: { result_count: 3 } } }
          : { status: 401 }
  await tweetById('20', asking)
  // Cached since then, so X is not called.
  await tweetById('20', asking)
  assert.equal(await tweetById('21', asking), null)
  // Each search takes 10 of 15 and gives 7 back: two leave 9, too few for a third.
  const page = { limit: 10, position: null }
  const search = () => searchTweets(tide, page, asking)
  await search()
  await search()
  await assert.rejects(search(), /unavailable/)
  assert.deepEqual(await shown('calls_total'), [
    'operation=searchTweets,outcome=answered} 2',
    'operation=searchTweets,outcome=unavailable} 1',
    'operation=tweetById,outcome=answered} 1',
    'operation=tweetById,outcome=not_there} 1',
  ])
  assert.deepEqual(await shown('objects_today'), ['operation=searchTweets} 6', 'operation=tweetById} 2'])
  // Each operation by its name, so that a rule can compare it with what was taken.
  const limits = await shown('objects_daily_limit')
  for (const limit of ['operation=searchTweets} 15', 'operation=tweetById} 100'])
    assert(limits.includes(limit), limit)
  assert.deepEqual(await shown('breaker_open'), ['} 0'])
  const pauses = (await shown('pause_seconds')).filter((line) => !line.endsWith(' 0'))
  assert.deepEqual(
    pauses.map((line) => line.replace(/\d+$/, '')),
    ['operation=searchTweets} '],
  )
  for (let call = 0; call < 5; call += 1)
    await assert.rejects(followersOf('7', page, asking), /upstream_failed/)
  await assert.rejects(tweetById('22', asking), /unavailable/)
  assert.deepEqual(await shown('breaker_open'), ['} 1'])
  assert.doesNotMatch(await registry.metrics(), /tide|token/i)
})
