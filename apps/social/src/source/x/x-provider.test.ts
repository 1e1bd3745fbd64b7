import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { ProblemError } from '@tollbook/http/problem'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial } from '@tollbook/testing/social/open-social'
import {
  APP_TOKEN,
  openXUpstream,
  type XUpstreamAnswer,
  xProvider,
} from '@tollbook/testing/social/x-upstream'
import { onSqliteState } from '@tollbook/testing/state/every-state'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../../state/state.ts'
import type { SocialOperations, TweetQuery } from '../provider.ts'

const USER_TOKEN = 'user-token-0123456789'
const ASKING = { signal: new AbortController().signal }
const ACTING = { userId: '7', accessToken: USER_TOKEN }
const SECOND = { limit: 20, position: 'token-of-the-second' }
const QUERY: TweetQuery = {
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

let state: State
const upstream = await openXUpstream()
before(async () => {
  state = await openTestState()
})
after(() => state.close())

/** A request of an operation: path, other parameters, and the user. */
async function sent(
  work: (operations: SocialOperations) => Promise<unknown>,
  given: XUpstreamAnswer['body'],
) {
  upstream.asked.length = 0
  upstream.answer = ({ path }) => ({
    body: path.startsWith('/2/users/by/username/')
      ? { data: { id: '7', name: 'Jun', username: 'jun' } }
      : given,
  })
  const x = xProvider({ url: upstream.url, state, userToken: USER_TOKEN })
  await work(x.operations as SocialOperations)
  const last = upstream.asked.at(-1)
  const own = [...(last?.query ?? [])].filter(([name]) => !/\.fields$|^expansions$/.test(name))
  return [last?.path, Object.fromEntries(own), last?.headers.authorization === `Bearer ${USER_TOKEN}`]
}

const PAGE = { data: [], meta: { result_count: 0 } }
const pageQuery = { max_results: '20', pagination_token: 'token-of-the-second' }

test('each operation calls its own route, with the requested page size and on behalf of the caller', async () => {
  const searched = { sort_order: 'recency', max_results: '20', next_token: 'token-of-the-second' }
  const first = { limit: 3, position: null }
  const one = { data: { id: '20', text: '' } }
  const cases: [work: (x: SocialOperations) => Promise<unknown>, given: unknown, ...unknown[]][] = [
    [(x) => x.tweetById('20', ASKING), one, '/2/tweets/20', {}, false],
    [(x) => x.tweetsByIds(['20', '21'], ASKING), PAGE, '/2/tweets', { ids: '20,21' }, false],
    [
      (x) => x.searchTweets(QUERY, SECOND, ASKING),
      PAGE,
      '/2/tweets/search/recent',
      { query: 'tide', ...searched },
      false,
    ],
    [
      (x) => x.repliesTo('20', SECOND, ASKING),
      PAGE,
      '/2/tweets/search/recent',
      { query: 'in_reply_to_tweet_id:20', ...searched },
      false,
    ],
    [(x) => x.tweetsOfUser('Jun', SECOND, ASKING), PAGE, '/2/users/7/tweets', pageQuery, false],
    [(x) => x.quotesOf('20', SECOND, ASKING), PAGE, '/2/tweets/20/quote_tweets', pageQuery, false],
    // X returns at least ten quotes.
    [(x) => x.quotesOf('20', first, ASKING), PAGE, '/2/tweets/20/quote_tweets', { max_results: '10' }, false],
    [(x) => x.repostersOf('20', SECOND, ASKING), PAGE, '/2/tweets/20/retweeted_by', pageQuery, false],
    [(x) => x.userByUsername('Jun', ASKING), PAGE, '/2/users/by/username/Jun', {}, false],
    [(x) => x.followersOf('7', SECOND, ASKING), PAGE, '/2/users/7/followers', pageQuery, false],
    [(x) => x.followedBy('7', SECOND, ASKING), PAGE, '/2/users/7/following', pageQuery, false],
    [(x) => x.listById('5', ASKING), { data: { id: '5', name: 'L' } }, '/2/lists/5', {}, false],
    [(x) => x.tweetsOfList('5', SECOND, ASKING), PAGE, '/2/lists/5/tweets', pageQuery, false],
    [(x) => x.membersOfList('5', SECOND, ASKING), PAGE, '/2/lists/5/members', pageQuery, false],
    [(x) => x.followersOfList('5', SECOND, ASKING), PAGE, '/2/lists/5/followers', pageQuery, false],
    [(x) => x.articleOf('20', ASKING), one, '/2/tweets/20', {}, false],
    [(x) => x.mentions(ACTING, SECOND, ASKING), PAGE, '/2/users/7/mentions', pageQuery, true],
    [
      (x) => x.searchUsers("jun o'hara", SECOND, ASKING),
      PAGE,
      '/2/users/search',
      { query: "jun o'hara", max_results: '20', next_token: 'token-of-the-second' },
      true,
    ],
  ]
  for (const [work, given, ...expected] of cases) assert.deepEqual(await sent(work, given), expected)
})

test('an image is uploaded as a form on behalf of its user, once', async () => {
  const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)
  const upload = (x: SocialOperations) =>
    x.uploadMedia(ACTING, { contentType: 'image/png', bytes }, { ...ASKING, effects: applyNow })
  assert.deepEqual(await sent(upload, { data: { id: '990', media_key: '3_990' } }), [
    '/2/media/upload',
    {},
    true,
  ])
  const [one] = upstream.asked
  const form = await new Response(Buffer.from(one?.body ?? []), {
    headers: { 'content-type': String(one?.headers['content-type']) },
  }).formData()
  assert.deepEqual([...form.keys()], ['media_category', 'media'])
  assert.equal(form.get('media_category'), 'tweet_image')
  const file = form.get('media')
  assert.ok(file instanceof File)
  assert.equal(file.type, 'image/png')
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), bytes)
  const x = xProvider({ url: upstream.url, state }).operations as SocialOperations
  assert.deepEqual(await upload(x), { mediaId: '990' })
  upstream.asked.length = 0
  upstream.answer = () => ({ status: 500 })
  await assert.rejects(upload(x), /upstream_failed/)
  assert.equal(upstream.asked.length, 1)
})

test('a session that X rejects is reported as such, and a session of the store is not valid at X', async () => {
  const x = xProvider({ url: upstream.url, state }).operations as SocialOperations
  for (const status of [401, 403]) {
    upstream.answer = () => ({ status, body: { title: USER_TOKEN } })
    const error = await x.mentions(ACTING, SECOND, ASKING).catch((reason: unknown) => reason)
    assert.ok(error instanceof ProblemError)
    assert.equal(error.problem.code, 'credential_refused')
    assert.ok(!JSON.stringify([error.message, error.stack, error.problem]).includes(USER_TOKEN))
  }
  await assert.rejects(x.mentions({ ...ACTING, accessToken: null }, SECOND, ASKING), /credential_refused/)
})

test('the id of a name is looked up once, and never for an invalid name', async () => {
  upstream.asked.length = 0
  const x = xProvider({ url: upstream.url, state }).operations as SocialOperations
  upstream.answer = ({ path }) => ({
    body: path.includes('username') ? { data: { id: '7', name: 'Jun', username: 'jun' } } : PAGE,
  })
  await x.tweetsOfUser('jun', SECOND, ASKING)
  await x.tweetsOfUser('JUN', SECOND, ASKING)
  assert.equal(upstream.asked.length, 3)
  assert.equal(await x.tweetsOfUser('bread.example', SECOND, ASKING), null)
  assert.equal(upstream.asked.length, 3)
})

test('without replies the tweet is looked up, so that a missing tweet and one without replies differ', async () => {
  const x = xProvider({ url: upstream.url, state }).operations as SocialOperations
  const first = { limit: 30, position: null }
  const type = 'https://api.twitter.com/2/problems/resource-not-found'
  upstream.answer = ({ path }) => ({ body: path === '/2/tweets/20' ? { errors: [{ type }] } : PAGE })
  assert.equal(await x.repliesTo('20', first, ASKING), null)
  upstream.answer = ({ path }) => ({
    body: path === '/2/tweets/20' ? { data: { id: '20', text: '' } } : PAGE,
  })
  assert.deepEqual((await x.repliesTo('20', first, ASKING))?.data, [])
})

const READS = [
  '/tweets/by/id?id=20',
  '/tweets?ids=20,21',
  '/tweets/search?words=tide',
  '/tweets/user?username=jun',
  '/tweets/replies?id=20',
  '/tweets/quote_tweets?id=20',
  '/tweets/retweeted_by?id=20',
  '/users/by/username?username=jun',
  '/users/search?query=jun',
  '/users/followers?id=7',
  '/users/following?id=7',
  '/lists/by/id?id=5',
  '/lists/tweets?id=5',
  '/lists/members?id=5',
  '/lists/followers?id=5',
  '/articles/by/id?id=20',
]

onSqliteState(
  "if X fails in any way, no endpoint answers with success or repeats X's error message",
  async (own) => {
    const cases: [XUpstreamAnswer, readonly number[]][] = [
      [{ status: 401, body: { title: 'sore thumb' } }, [502, 403]],
      [{ status: 403, body: { title: 'sore thumb' } }, [502, 403]],
      [{ status: 404, body: { title: 'sore thumb' } }, [502]],
      [{ status: 429, body: 'sore thumb', headers: { 'retry-after': '30' } }, [503]],
      [{ status: 418, body: 'sore thumb' }, [502]],
      [{ body: '{"data":[{"id":"20","text":"sore thumb' }, [502]],
      [{ body: { data: { id: '20', text: '' }, errors: [{ title: 'sore thumb' }] } }, [502]],
      [{ body: { errors: [{ title: 'sore thumb' }] } }, [502]],
      [{ body: { sore: 'thumb' } }, [502]],
    ]
    for (const [given, statuses] of cases) {
      upstream.answer = () => given
      const options = { url: upstream.url, state: own, userToken: USER_TOKEN, breaker: { failures: 1000 } }
      const { ask } = await openSocial(own, xProvider(options))
      const answers = await Promise.all(READS.map((path) => ask(path, { payer: TEST_PAYER })))
      for (const [at, { status, text, headers }] of answers.entries()) {
        assert.ok(statuses.includes(status), `${READS[at]} ${JSON.stringify(given)}: ${status} ${text}`)
        assert.doesNotMatch(text, /sore|thumb/)
        assert.ok(!text.includes(USER_TOKEN) && !text.includes(APP_TOKEN))
        if (status === 503) assert.ok(Number(headers.get('retry-after')) >= 1)
      }
    }
  },
)

onSqliteState(
  'queries that X cannot search are reported in the challenge, and unsupported operations are not offered',
  async (own) => {
    const { ask } = await openSocial(own, xProvider({ url: upstream.url, state: own, userToken: USER_TOKEN }))
    for (const [path, parameter] of [
      ['/tweets/search?noneWords=spam&minLikes=5', 'words'],
      ['/tweets/search?from=bread.example', 'from'],
      ['/users/search?query=日本', 'query'],
    ]) {
      const unpaid = await ask(String(path))
      assert.equal(unpaid.status, 402)
      assert.equal(unpaid.body.problem.issues[0].parameter, parameter)
      assert.equal((await ask(String(path), { payer: TEST_PAYER })).status, 422)
    }
    const alone = await openSocial(own, xProvider({ url: upstream.url, state: own }))
    for (const path of ['/users/search?query=jun', '/communities/posts?id=9'])
      assert.equal((await alone.ask(path, { payer: TEST_PAYER })).status, 501)
  },
)
