import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { blueskyProvider, recorded, replay } from '@tollbook/testing/social/bluesky-upstream'
import { findAnswerIssues } from '@tollbook/testing/social/lexicons'
import { openSocial } from '@tollbook/testing/social/open-social'
import { openXUpstream, type XUpstreamAnswer } from '@tollbook/testing/social/x-upstream'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../../state/state.ts'
import { tidToNumber } from './tid.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the answer it asked for
type Body = any

const upstream = await openXUpstream()
let state: State
let ask: (path: string) => Promise<{ readonly status: number; readonly body: Body }>

before(async () => {
  state = await openTestState()
  const service = await openSocial(state, blueskyProvider({ state, url: upstream.url }))
  ask = (path) => service.ask(path, { payer: TEST_PAYER })
})
after(() => state.close())

const { posts } = recorded('app.bsky.feed.getPosts', 'fetches posts')
const [post] = posts
const { did, handle } = post.author
const id = tidToNumber(post.uri.split('/').at(-1))
const KEY = '3k22222222222'
const uri = `at://${did}/com.whtwnd.blog.entry/${KEY}`
const value = {
  $type: 'com.whtwnd.blog.entry',
  title: 'Tides',
  subtitle: 'Of the north',
  content: '# Tides\n\nThey *rise*.',
  createdAt: '2024-05-01T10:00:00.000Z',
  visibility: 'public',
}

/** A post that links there, the account's document, and the record on the account's own server. */
function answering(
  link: string,
  record: XUpstreamAnswer,
  service: object = { id: '#atproto_pds', serviceEndpoint: upstream.url },
) {
  const external = { uri: link, title: 'Tides', description: '' }
  const linking = { ...post, embed: { $type: 'app.bsky.embed.external#view', external } }
  assert.deepEqual(findAnswerIssues('app.bsky.feed.getPosts', { posts: [linking] }), [])
  const appView = replay({
    'app.bsky.feed.getPosts': { posts: [linking] },
    'app.bsky.feed.searchPosts': { posts: [linking] },
  })
  upstream.asked.length = 0
  upstream.answer = (asked) => {
    if (asked.path === `/${did}`) return { body: { id: did, service: [service] } }
    if (asked.path.endsWith('getRecord')) return asked.query.get('repo') === did ? record : { status: 400 }
    return appView(asked)
  }
}
const answered = (more: object = {}) => ({ body: { uri, cid: post.cid, value: { ...value, ...more } } })
const article = () => ask(`/articles/by/id?id=${id}`)

test("the article that a post links to is read as Markdown from its author's server", async () => {
  assert.equal((await article()).status, 404)
  for (const link of [
    `https://whtwnd.com/${did}/${KEY}`,
    `https://whtwnd.com/${handle}/entries/Tides?rkey=${KEY}`,
    `https://whtwnd.com/${encodeURIComponent(did)}/${KEY}`,
  ]) {
    answering(link, answered())
    await ask('/tweets/search?words=hey')
    const { status, body } = await article()
    assert.equal(status, 200, link)
    const { author_id, article_id, ...data } = body.data
    assert.deepEqual(data, {
      id,
      title: 'Tides',
      preview_text: 'Of the north',
      published_at: '2024-05-01T10:00:00.000Z',
      article_content: value.content,
      content_format: 'rich',
      url: `https://whtwnd.com/${did}/${KEY}`,
    })
    assert.equal(body.includes.users[0].id, author_id)
    assert.equal(body.includes.users[0].username, handle)
    assert.match(article_id, /^\d{1,19}$/)
    const { query } = upstream.asked.at(-1) ?? {}
    assert.deepEqual(
      [...(query ?? [])],
      [
        ['repo', did],
        ['collection', 'com.whtwnd.blog.entry'],
        ['rkey', KEY],
      ],
    )
  }
})

test('a draft, an author-only entry and a deleted entry are not articles', async () => {
  const link = `https://whtwnd.com/${did}/${KEY}`
  const none: [string, XUpstreamAnswer, object?][] = [
    ['https://example.com/a/b', answered()],
    ['https://whtwnd.com/about', answered()],
    [`https://whtwnd.com/nobody.test/${KEY}`, answered()],
    [link, answered({ isDraft: true })],
    [link, answered({ visibility: 'author' })],
    [link, answered({ content: '' })],
    [link, { status: 400, body: { error: 'RecordNotFound', message: 'Could not locate record' } }],
    [link, answered(), { id: '#other', serviceEndpoint: upstream.url }],
  ]
  for (const [address, record, service] of none) {
    answering(address, record, service)
    assert.equal((await article()).status, 404, address)
  }
  answering(link, { status: 500 })
  assert.equal((await article()).status, 502)
  answering(link, { body: '{"uri":' })
  assert.equal((await article()).status, 502)
})

test('an address of a server that is too long for a URL has no article', async () => {
  const endless = { id: '#atproto_pds', serviceEndpoint: `${upstream.url}${'/'.repeat(2_000_000)}x` }
  answering(`https://whtwnd.com/${did}/${KEY}`, answered(), endless)
  assert.equal((await article()).status, 404)
})
