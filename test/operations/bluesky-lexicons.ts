import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { State } from '@tollbook/cli/commands/state/state'
import type { SocialProvider } from '@tollbook/social/source/provider'
import { blueskyProvider, RECORDED, recorded } from '@tollbook/testing/social/bluesky-upstream'
import { startOpenApiServer } from '@tollbook/testing/social/open-api-server'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { toOpenApi } from './parts/lexicon-openapi.ts'

/** For a busy machine. */
const asking = { signal: AbortSignal.timeout(300_000) }
const page = { limit: 100, position: null }

let state: State
let operations: SocialProvider['operations']
let api: Awaited<ReturnType<typeof startOpenApiServer>>

before(async () => {
  const [view] = recorded('app.bsky.feed.getPosts').posts
  const list = {
    uri: `at://${view.author.did}/app.bsky.graph.list/3k22222222222`,
    cid: view.cid,
    name: 'Harbours',
    creator: view.author,
    purpose: 'app.bsky.graph.defs#curatelist',
    indexedAt: view.indexedAt,
  }
  const record = { $type: 'app.bsky.graph.defs#listView', ...list }
  const showing = { ...view, embed: { $type: 'app.bsky.embed.record#view', record } }
  // Of several recorded answers of a query the first.
  const answers = new Map(RECORDED.toReversed().map(({ method, answer }) => [method, answer]))
  answers.set('app.bsky.feed.searchPosts', { posts: [showing] })
  answers.set('app.bsky.graph.getList', { list, items: [{ uri: list.uri, subject: view.author }] })
  api = await startOpenApiServer(toOpenApi(answers))
  state = await openTestState()
  operations = blueskyProvider({ state, url: api.url, deadlineMs: 60_000 }).operations
})
after(async () => {
  api?.close()
  await state?.close()
})

test('a server with the lexicons accepts the request of every operation, and its answers are understood', async () => {
  const query = {
    words: ['hey'],
    phrase: null,
    anyWords: [],
    noneWords: [],
    hashtags: ['sea', 'Küste'],
    from: 'jun.test',
    to: null,
    mentioning: 'ada.test',
    minReplies: null,
    minLikes: null,
    minReposts: null,
    since: new Date(0),
    until: new Date(1e12),
    lang: 'en',
  }
  const user = await operations.userByUsername?.('jun.test', asking)
  const found = await operations.searchTweets?.(query, page, asking)
  const [shown] = found?.data ?? []
  assert.ok(shown)
  const { id } = shown
  const { id: list } = shown.embedded_list as { id: string }
  assert.ok(user)
  assert.equal((await operations.tweetById?.(id, asking))?.data.text, 'hey there')
  assert.deepEqual((await operations.tweetsByIds?.([id, '99'], asking))?.missing, ['99'])
  assert.deepEqual(await operations.articleOf?.(id, asking), { kind: 'no_article' })
  assert.equal((await operations.listById?.(list, asking))?.data.name, 'Harbours')
  const pages = {
    tweetsOfUser: await operations.tweetsOfUser?.('jun.test', page, asking),
    repliesTo: await operations.repliesTo?.(id, page, asking),
    quotesOf: await operations.quotesOf?.(id, page, asking),
    repostersOf: await operations.repostersOf?.(id, page, asking),
    searchUsers: await operations.searchUsers?.('jun', page, asking),
    followersOf: await operations.followersOf?.(user.id, page, asking),
    followedBy: await operations.followedBy?.(user.id, page, asking),
    tweetsOfList: await operations.tweetsOfList?.(list, page, asking),
    membersOfList: await operations.membersOfList?.(list, page, asking),
  }
  for (const [operation, answered] of Object.entries(pages)) assert.ok(answered?.data.length, operation)
})

test('25 post addresses fit into one request, and 26 are rejected', async () => {
  const { uri } = recorded('app.bsky.feed.getPosts').posts[0]
  const query = (count: number) => `uris=${Array.from({ length: count }, () => uri).join('&uris=')}`
  assert.equal((await fetch(`${api.url}/xrpc/app.bsky.feed.getPosts?${query(25)}`)).status, 200)
  assert.equal((await fetch(`${api.url}/xrpc/app.bsky.feed.getPosts?${query(26)}`)).status, 422)
})
