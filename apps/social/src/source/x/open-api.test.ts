import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { startOpenApiServer } from '@tollbook/testing/social/open-api-server'
import { openSocial } from '@tollbook/testing/social/open-social'
import { xApiDocument } from '@tollbook/testing/social/x-api-document'
import { xProvider } from '@tollbook/testing/social/x-upstream'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../../state/state.ts'

const USER_TOKEN = 'user-token-0123456789'
const ASKING = { signal: new AbortController().signal }
const TWEETS = [
  '/tweets/search?words=tide&since=2026-11-01',
  '/tweets/user?username=jun',
  '/tweets/replies?id=20',
]
const MORE_TWEETS = ['/tweets/quote_tweets?id=20', '/lists/tweets?id=5']
const USERS = ['/tweets/retweeted_by?id=20', '/users/search?query=jun', '/users/followers?id=7']
const MORE_USERS = ['/users/following?id=7', '/lists/members?id=5', '/lists/followers?id=5']

let state: State
let api: Awaited<ReturnType<typeof startOpenApiServer>>
before(async () => {
  state = await openTestState()
  api = await startOpenApiServer(xApiDocument())
})
after(async () => {
  api.close()
  await state.close()
})

for (const dialect of ['tweet', 'post'] as const)
  test(`every read is accepted by an upstream that knows the names of ${dialect}.fields`, async () => {
    const x = xProvider({ url: `${api.url}/${dialect}`, state, userToken: USER_TOKEN })
    const { ask: askUnpaid } = await openSocial(state, x)
    const ask = async (path: string) => {
      const { status, body, text } = await askUnpaid(path, { payer: TEST_PAYER })
      assert.equal(status, 200, `${path}: ${text}`)
      return body
    }
    const tweet = (await ask('/tweets/by/id?id=20')).data
    assert.deepEqual(tweet.public_metrics, {
      retweet_count: 3,
      reply_count: 1,
      like_count: 20,
      quote_count: 2,
    })
    assert.deepEqual(tweet.referenced_tweets, [{ type: 'quoted', id: '19' }])
    assert.equal(tweet.author.public_metrics.tweet_count, 7)
    const { article: _, ...withoutArticle } = tweet
    const batch = await ask('/tweets?ids=20,21')
    assert.deepEqual(batch.data, [withoutArticle])
    assert.equal(batch.includes.tweets[0].id, '19')
    assert.equal(batch.errors[0].resource_id, '21')
    for (const path of [...TWEETS, ...MORE_TWEETS]) {
      const page = await ask(path)
      assert.deepEqual(page.data, [withoutArticle], path)
      const next = await ask(`${path}&next_token=${page.meta.next_token}`)
      assert.deepEqual(next.data, page.data)
    }
    const user = (await ask('/users/by/username?username=Jun')).data
    assert.equal(user.public_metrics.tweet_count, 7)
    for (const path of [...USERS, ...MORE_USERS]) {
      const page = await ask(path)
      assert.deepEqual(page.data, [user], path)
      assert.deepEqual((await ask(`${path}&next_token=${page.meta.next_token}`)).data, [user])
    }
    assert.equal((await ask('/lists/by/id?id=5')).data.owner.username, 'jun')
    assert.equal((await ask('/articles/by/id?id=20')).data.article_content, 'Twice a day.\n\nOr once.')
  })

test('operations on behalf of a user are accepted', async () => {
  const { operations } = xProvider({ url: `${api.url}/tweet`, state })
  const acting = { userId: '7', accessToken: USER_TOKEN }
  const mentions = await operations.mentions?.(acting, { limit: 20, position: null }, ASKING)
  assert.equal(mentions?.data[0]?.id, '20')
  const image = { contentType: 'image/png', bytes: Uint8Array.of(0x89, 0x50, 0x4e, 0x47) }
  assert.deepEqual(await operations.uploadMedia?.(acting, image, { ...ASKING, effects: applyNow }), {
    mediaId: '990',
  })
})

test('that upstream refuses names of the other dialect, other parameters and values, and a missing token', async () => {
  const headers = { authorization: `Bearer ${USER_TOKEN}` }
  const statusOf = async (path: string, init: RequestInit = { headers }) =>
    (await fetch(`${api.url}${path}`, init)).status
  assert.equal(await statusOf('/tweet/2/tweets/20?tweet.fields=id,text'), 200)
  assert.equal(await statusOf('/tweet/2/tweets/20?tweet.fields=id,note_post'), 400)
  assert.equal(await statusOf('/tweet/2/tweets/20?post.fields=id'), 400)
  assert.equal(await statusOf('/tweet/2/tweets/search/recent'), 400)
  assert.equal(await statusOf('/tweet/2/tweets/search/recent?query=tide&max_results=9'), 400)
  assert.equal(await statusOf('/tweet/2/tweets/search/recent?query=tide&start_time=yesterday'), 400)
  assert.equal(await statusOf('/tweet/2/tweets/a'), 400)
  assert.equal(await statusOf('/tweet/2/tweets/20', {}), 401)
  assert.equal(await statusOf('/tweet/2/unknown'), 404)
})
