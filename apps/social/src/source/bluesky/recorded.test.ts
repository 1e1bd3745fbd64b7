import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { blueskyProvider, RECORDED, recorded, replay } from '@tollbook/testing/social/bluesky-upstream'
import { findAnswerIssues } from '@tollbook/testing/social/lexicons'
import { openSocial } from '@tollbook/testing/social/open-social'
import { openXUpstream } from '@tollbook/testing/social/x-upstream'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../../state/state.ts'
import { tidToNumber } from './tid.ts'

const upstream = await openXUpstream()
let state: State
let ask: (path: string) => Promise<{ readonly status: number; readonly body: Body }>
// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the answer it asked for
type Body = any

before(async () => {
  state = await openTestState()
  const service = await openSocial(state, blueskyProvider({ state, url: upstream.url }))
  ask = (path) => service.ask(path, { payer: TEST_PAYER })
})
after(() => state.close())

function answering(pages: Parameters<typeof replay>[0] = {}) {
  upstream.asked.length = 0
  upstream.answer = replay(pages)
}

/** Number of calls per query. */
const requested = () => upstream.asked.splice(0).map(({ path }) => path.replace('/xrpc/', ''))
const numberOf = (uri: string) => tidToNumber(uri.split('/').at(-1) ?? '')
/** The first 63 bits of the SHA-256, from its first 16 hex digits. */
const hashOf = (name: string) =>
  String(BigInt(`0x${createHash('sha256').update(name).digest('hex').slice(0, 16)}`) / 2n)

test('the recorded answers conform to the lexicons', () => {
  for (const { from, method, answer } of RECORDED)
    assert.deepEqual(findAnswerIssues(method, answer), [], from)
})

test('posts are found by the numbers of their keys only after they were seen', async () => {
  const { posts } = recorded('app.bsky.feed.getPosts', 'fetches posts')
  const ids = posts.map(({ uri }: { uri: string }) => numberOf(uri))
  answering({ 'app.bsky.feed.searchPosts': { posts } })
  assert.equal((await ask(`/tweets/by/id?id=${ids[1]}`)).status, 404)
  assert.deepEqual(requested(), [])
  const found = await ask('/tweets/search?phrase=bob+back+at+it')
  assert.equal(found.status, 200)
  assert.deepEqual(
    found.body.data.map(({ id, text, lang, url }: Body) => [id, text, lang, url]),
    [
      [
        ids[2],
        'bob back at it again!',
        'en-US',
        `https://bsky.app/profile/bob.test/post/${posts[2].uri.split('/').at(-1)}`,
      ],
    ],
  )
  requested()
  const many = await ask(`/tweets?ids=${ids.join(',')},99`)
  assert.deepEqual(
    many.body.data.map(({ id }: Body) => id),
    ids,
  )
  assert.deepEqual(
    many.body.errors.map(({ resource_id }: Body) => resource_id),
    ['99'],
  )
  const one = await ask(`/tweets/by/id?id=${ids[1]}`)
  assert.deepEqual(one.body.data.public_metrics, {
    retweet_count: 1,
    reply_count: 2,
    like_count: 3,
    quote_count: 0,
    bookmark_count: 0,
  })
  assert.equal(one.body.data.author_id, hashOf(posts[1].author.did))
  // Its full profile is in getProfiles: followersCount 2, followsCount 3, postsCount 4.
  assert.deepEqual(one.body.data.author.public_metrics, {
    followers_count: 2,
    following_count: 3,
    tweet_count: 4,
  })
})

test('embeds become media, quoted posts and their includes', async () => {
  const { posts } = recorded('app.bsky.feed.getPosts', 'fetches posts')
  const carol = posts.find(({ record }: Body) => record.text === 'hi im carol')
  answering()
  const { body } = await ask(`/tweets/by/id?id=${numberOf(carol.uri)}`)
  const [quoted] = body.data.referenced_tweets
  assert.equal(quoted.type, 'quoted')
  assert.deepEqual(
    body.includes.tweets.map(({ id, text }: Body) => [id, text]),
    [[quoted.id, 'bob back at it again!']],
  )
  assert.deepEqual(
    body.includes.media.map(({ type, alt_text, url }: Body) => [type, alt_text, url]),
    carol.embed.media.images.map(({ alt, fullsize }: Body) => ['photo', alt, fullsize]),
  )
  assert.deepEqual(
    body.data.attachments.media_keys,
    body.includes.media.map(({ media_key }: Body) => media_key),
  )
})

test('the posts of an author omit reposts, and replies name the user and the post that they answer', async () => {
  const { feed } = recorded('app.bsky.feed.getAuthorFeed', '3')
  answering({ 'app.bsky.feed.getAuthorFeed': { feed, cursor: 'more' } })
  const { body } = await ask('/tweets/user?username=carol.test')
  const own = feed.filter(({ reason }: Body) => !reason)
  assert.ok(own.length > 0 && own.length < feed.length)
  assert.deepEqual(
    body.data.map(({ id }: Body) => id),
    own.map(({ post }: Body) => numberOf(post.uri)),
  )
  const [reply] = own.filter(({ post }: Body) => post.record.reply)
  const shown = body.data.find(({ id }: Body) => id === numberOf(reply.post.uri))
  const { root, parent } = reply.post.record.reply
  assert.equal(shown.conversation_id, numberOf(root.uri))
  assert.deepEqual(shown.referenced_tweets, [{ type: 'replied_to', id: numberOf(parent.uri) }])
  assert.equal(shown.in_reply_to_user_id, hashOf(parent.uri.split('/')[2]))
  // The cursor of the AppView is sent back to it after sealing and opening.
  assert.ok(body.meta.next_token)
  requested()
  await ask(`/tweets/user?username=carol.test&next_token=${body.meta.next_token}`)
  answering({ 'app.bsky.feed.getAuthorFeed': { feed: [] } })
  const last = await ask(`/tweets/user?username=carol.test&next_token=${body.meta.next_token}`)
  assert.equal(upstream.asked[0]?.query.get('cursor'), 'more')
  assert.deepEqual([last.status, last.body.next_token], [422, undefined])
})

test('replies are those of the thread, newest first, in consecutive pages', async () => {
  const { thread } = recorded('app.bsky.feed.getPostThread', 'shallow')
  const many = Array.from({ length: 70 }, (_, at) => {
    const [{ post }] = thread.replies
    const createdAt = new Date(Date.UTC(2024, 0, 1 + ((at * 37) % 70))).toISOString()
    const uri = post.uri.replace(/.{3}$/, `a${'234567ab'[at % 8]}${'234567abcdefghijk'[at >> 3]}`)
    return {
      ...thread.replies[0],
      post: { ...post, uri, record: { ...post.record, createdAt }, indexedAt: createdAt },
    }
  })
  const blocked = { uri: thread.post.uri, blocked: true, author: { did: thread.post.author.did } }
  const search = { 'app.bsky.feed.searchPosts': { posts: [thread.post] } }
  answering({
    ...search,
    'app.bsky.feed.getPostThread': { thread: { ...thread, replies: [blocked, ...many] } },
  })
  await ask('/tweets/search?words=again')
  const id = numberOf(thread.post.uri)
  const days: string[] = []
  for (let token = '', page = 0; page === 0 || token; page += 1) {
    const { body } = await ask(`/tweets/replies?id=${id}${token && `&next_token=${token}`}`)
    days.push(...body.data.map(({ created_at }: Body) => created_at))
    token = body.meta.next_token ?? ''
    assert.ok(page < 3)
  }
  assert.equal(new Set(days).size, 70)
  assert.deepEqual(days, days.toSorted().reverse())
  const { thread: lonely } = recorded('app.bsky.feed.getPostThread', 'deleted')
  answering({ 'app.bsky.feed.getPostThread': { thread: lonely } })
  const none = await ask(`/tweets/replies?id=${id}`)
  assert.deepEqual([none.status, none.body.detail], [422, 'Nothing was found.'])
  for (const gone of [blocked, { uri: thread.post.uri, notFound: true }]) {
    answering({ 'app.bsky.feed.getPostThread': { thread: gone } })
    assert.equal((await ask(`/tweets/replies?id=${id}`)).status, 404)
  }
})

test('quotes and reposters of a post are listed, and a deleted post has neither', async () => {
  const quotes = recorded('app.bsky.feed.getQuotes')
  const reposters = recorded('app.bsky.feed.getRepostedBy')
  answering({
    'app.bsky.feed.getQuotes': { ...quotes, uri: quotes.posts[0].uri },
    'app.bsky.feed.getRepostedBy': { ...reposters, uri: quotes.posts[0].uri },
    'app.bsky.feed.searchPosts': { posts: quotes.posts },
  })
  await ask('/tweets/search?from=eve.test')
  const id = numberOf(quotes.posts[0].uri)
  assert.deepEqual(
    (await ask(`/tweets/quote_tweets?id=${id}`)).body.data.map(({ text }: Body) => text),
    quotes.posts.map(({ record }: Body) => record.text),
  )
  assert.deepEqual(
    (await ask(`/tweets/retweeted_by?id=${id}`)).body.data.map(({ username }: Body) => username),
    reposters.repostedBy.map(({ handle }: Body) => handle),
  )
  answering({
    'app.bsky.feed.getPosts': { posts: [] },
    'app.bsky.feed.getQuotes': { uri: quotes.posts[0].uri, posts: [] },
    'app.bsky.feed.getRepostedBy': { uri: quotes.posts[0].uri, repostedBy: [] },
  })
  for (const list of ['quote_tweets', 'retweeted_by'])
    assert.equal((await ask(`/tweets/${list}?id=${id}`)).status, 404, list)
})

test('users are found by handle and by words, and their followers and followed users are listed', async () => {
  const profile = recorded('app.bsky.actor.getProfile')
  const followers = recorded('app.bsky.graph.getFollowers')
  const follows = recorded('app.bsky.graph.getFollows')
  const found = recorded('app.bsky.actor.searchActors')
  answering({
    'app.bsky.actor.getProfile': profile,
    'app.bsky.graph.getFollowers': { ...followers, cursor: 'next' },
    'app.bsky.graph.getFollows': follows,
    'app.bsky.actor.searchActors': found,
  })
  const { body } = await ask(`/users/by/username?username=@${profile.handle.toUpperCase()}`)
  assert.equal(body.data.id, hashOf(profile.did))
  assert.equal(body.data.profile_banner_url, profile.banner)
  assert.deepEqual(body.data.public_metrics, {
    followers_count: profile.followersCount,
    following_count: profile.followsCount,
    tweet_count: profile.postsCount,
  })
  const names = (page: { body: Body }) => page.body.data.map(({ username }: Body) => username)
  const handles = (profiles: Body[]) => profiles.map(({ handle }) => handle)
  const page = await ask(`/users/followers?id=${body.data.id}`)
  assert.deepEqual(names(page), handles(followers.followers))
  assert.ok(page.body.meta.next_token)
  assert.deepEqual(names(await ask(`/users/following?id=${body.data.id}`)), handles(follows.follows))
  assert.deepEqual(names(await ask('/users/search?query=car')), handles(found.actors))
  requested()
  // Every handle has a dot, so the AppView is not called.
  assert.equal((await ask('/users/by/username?username=jun')).status, 404)
  assert.deepEqual(requested(), [])
})

test('a list that a post shows has an id, posts and members', async () => {
  const { posts } = recorded('app.bsky.feed.getPosts', 'fetches posts')
  const { feed } = recorded('app.bsky.feed.getListFeed')
  const [{ author }] = posts
  const list = {
    $type: 'app.bsky.graph.defs#listView',
    cid: posts[0].cid,
    name: 'Harbours',
    listItemCount: 2,
    uri: `at://${author.did}/app.bsky.graph.list/3k22222222222`,
    creator: author,
    purpose: 'app.bsky.graph.defs#curatelist',
    indexedAt: '2024-01-01T00:00:00.000Z',
  }
  const post = { ...posts[0], embed: { $type: 'app.bsky.embed.record#view', record: list } }
  const items = [author, posts[3].author].map((subject) => ({ uri: list.uri, subject }))
  assert.deepEqual(findAnswerIssues('app.bsky.feed.getPosts', { posts: [post] }), [])
  assert.deepEqual(findAnswerIssues('app.bsky.graph.getList', { list, items }), [])
  answering({
    'app.bsky.feed.searchPosts': { posts: [post] },
    'app.bsky.graph.getList': { list, items },
    'app.bsky.feed.getListFeed': { feed },
  })
  const [shown] = (await ask('/tweets/search?words=hey')).body.data
  const id = hashOf(list.uri)
  assert.deepEqual(shown.embedded_list, { id, name: 'Harbours' })
  const { body } = await ask(`/lists/by/id?id=${id}`)
  assert.deepEqual(
    [body.data.name, body.data.member_count, body.data.private, body.includes.users[0].username],
    ['Harbours', 2, false, author.handle],
  )
  assert.equal(body.data.follower_count, undefined)
  assert.deepEqual(
    (await ask(`/lists/members?id=${id}`)).body.data.map(({ username }: Body) => username),
    [author.handle, posts[3].author.handle],
  )
  assert.deepEqual(
    (await ask(`/lists/tweets?id=${id}`)).body.data.map(({ text }: Body) => text),
    feed.filter(({ reason }: Body) => !reason).map(({ post: { record } }: Body) => record.text),
  )
})

test('operations that the network lacks are not offered, before any payment', async () => {
  for (const path of ['/lists/followers?id=1', '/communities/posts?id=1'])
    assert.equal((await ask(path)).status, 501, path)
})
