import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { blueskyProvider, recorded, replay } from '@tollbook/testing/social/bluesky-upstream'
import { openSocial } from '@tollbook/testing/social/open-social'
import { openXUpstream } from '@tollbook/testing/social/x-upstream'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import type { State } from '../../state/state.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the answer it asked for
type Body = any

const upstream = await openXUpstream()
let state: State
let call: (
  path: string,
  payer?: typeof TEST_PAYER,
) => Promise<{ readonly status: number; readonly body: Body }>

before(async () => {
  state = await openTestState()
  const service = await openSocial(state, blueskyProvider({ state, url: upstream.url }))
  call = (path, payer) => service.ask(path, payer ? { payer } : {})
})
after(() => state.close())

const [first] = recorded('app.bsky.feed.getPosts', 'fetches posts').posts
/** A post of the same form with other words; its number is its like count. */
function post(number: number, text: string) {
  const uri = first.uri.replace(/.{2}$/, `${'234567ab'[number % 8]}${'234567ab'[number >> 3]}`)
  return { ...first, uri, likeCount: number, record: { ...first.record, text } }
}
/** Answers a search with the page of its cursor, and records the query. */
function answering(...pages: readonly (readonly Body[])[]) {
  upstream.asked.length = 0
  upstream.answer = (asked) => {
    const at = Number(asked.query.get('cursor') ?? 0)
    const cursor = at + 1 < pages.length ? { cursor: String(at + 1) } : {}
    return replay({ 'app.bsky.feed.searchPosts': { posts: pages[at], ...cursor } })(asked)
  }
}
const search = (query: string) => call(`/tweets/search?${query}`, TEST_PAYER)
const searched = () =>
  upstream.asked.filter(({ path }) => path.endsWith('searchPosts')).map(({ query }) => query)
/** Empty for a refused search without a hit. */
const texts = ({ body }: { body: Body }) => (body.data ?? []).map(({ text }: Body) => text)

test("callers' input is searched as words, never as operators", async () => {
  answering([])
  await search(
    'words=from:jun+-tea+"a&phrase=green\\tea&hashtags=%23sea,tide&from=jun.test&mentioning=ada.test&lang=en&since=2026-01-02&until=2026-02-01',
  )
  const [query] = searched()
  assert.deepEqual(
    [...(query ?? [])],
    [
      ['q', '"from:jun" "-tea" "a" "green tea"'],
      ['sort', 'latest'],
      ['tag', 'sea'],
      ['tag', 'tide'],
      ['author', 'jun.test'],
      ['mentions', 'ada.test'],
      ['since', '2026-01-02T00:00:00.000Z'],
      ['until', '2026-02-01T00:00:00.000Z'],
      ['lang', 'en'],
      ['limit', '20'],
    ],
  )
})

test('filters that the AppView does not support are applied afterwards, over several of its pages', async () => {
  const pages = [
    [post(1, 'tea'), post(9, 'tea and milk'), post(10, 'tea with honey')],
    [post(11, 'coffee'), post(12, 'Tea, and HONEY'), post(10, 'tea with honey')],
    [post(13, 'tea alone')],
  ]
  answering(...pages)
  const found = await search('words=tea&anyWords=honey,milk&noneWords=and&minLikes=10')
  assert.deepEqual(texts(found), ['tea with honey'])
  assert.equal(found.body.meta.next_token, undefined)
  assert.deepEqual(
    searched().map((query) => [query.get('cursor'), query.get('limit')]),
    [
      [null, '20'],
      ['1', '19'],
      ['2', '19'],
    ],
  )
  answering(...pages)
  assert.deepEqual(texts(await search('words=tea&minLikes=12')), ['Tea, and HONEY', 'tea alone'])
})

test('an empty page is refused with the token of those that follow', async () => {
  answering([post(1, 'milk')], [], [], [], [post(2, 'tea')])
  const { status, body } = await search('words=tea')
  assert.deepEqual([status, body.code], [422, 'cannot_be_served'])
  const next = await search(`words=tea&next_token=${body.next_token}`)
  assert.deepEqual([texts(next), next.body.meta.next_token], [['tea'], undefined])
})

test('the filter to finds replies to posts of that account', async () => {
  const reply = { root: { uri: first.uri }, parent: { uri: first.uri } }
  const answer = post(3, 'tea for you')
  answering([{ ...answer, record: { ...answer.record, reply } }, post(4, 'tea for nobody')])
  assert.deepEqual(texts(await search(`words=tea&to=${first.author.handle}`)), ['tea for you'])
  answering([post(3, 'tea')])
  assert.deepEqual(texts(await search('words=tea&to=nobody.test')), [])
})

test('a query that Bluesky cannot search is an issue of the unpaid call', async () => {
  answering([])
  for (const query of [
    'minLikes=5',
    'noneWords=tea',
    'anyWords=tea,milk',
    'since=2026-01-01',
    'to=jun.test',
  ]) {
    const { status, body } = await call(`/tweets/search?${query}`)
    assert.equal(status, 402)
    assert.match(body.problem?.issues?.[0]?.detail ?? '', /cannot search by other filters alone/, query)
    assert.equal((await search(query)).status, 400, query)
  }
  // 9 URL-encoded characters each, two quotation marks of 3, and the sort parameter, `latest`.
  const long = `words=${encodeURIComponent('日'.repeat(200))}`
  assert.match(
    (await call(`/tweets/search?${long}`)).body.problem.issues[0].detail,
    /1812 URL-encoded characters/,
  )
  assert.deepEqual(upstream.asked, [])
  // No account there has a name without a dot.
  assert.deepEqual(texts(await search('from=jun')), [])
  assert.deepEqual(upstream.asked, [])
})
