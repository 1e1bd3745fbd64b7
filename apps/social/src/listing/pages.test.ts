import assert from 'node:assert/strict'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { fc } from '@tollbook/testing/property'
import { openSocial } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import type { SocialUser, Tweet } from '../model.ts'
import type { SocialBundle } from '../source/provider.ts'
import { saveBundle } from '../source/store/save-bundle.ts'

const OWNER: SocialUser = { id: '1', name: 'Owner', username: 'owner' }
const ROOT: Tweet = { id: '500', text: 'The root', author_id: OWNER.id, url: 'https://example.com/500' }
const LIST = { id: '600', name: 'All' }
const COMMUNITY = { id: '700', name: 'Everyone' }
const MINUTE = 60_000

const count = fc.option(fc.constantFrom(0, 1, 12), { nil: undefined })
const draft = fc.record({
  minute: fc.nat({ max: 400 }),
  // Some authors are not stored at all.
  author: fc.constantFrom('1', '1', '2', '3'),
  kind: fc.constantFrom('replied_to', 'quoted', null),
  isInCommunity: fc.boolean(),
  metrics: fc.record({ like_count: count, retweet_count: count, reply_count: count, quote_count: count }),
  hasUrl: fc.boolean(),
})

function toTweet(
  provided: typeof draft extends fc.Arbitrary<infer Draft> ? Draft : never,
  at: number,
): Tweet {
  const id = String(10_000 + at)
  const known = Object.entries(provided.metrics).filter(([, value]) => value !== undefined)
  return {
    id,
    text: `Tweet ${at}`,
    author_id: provided.author,
    created_at: new Date(TEST_TIME.getTime() - provided.minute * MINUTE).toISOString(),
    ...(provided.kind && { referenced_tweets: [{ type: provided.kind, id: ROOT.id }] }),
    ...(provided.isInCommunity && { community_id: COMMUNITY.id }),
    ...(known.length > 0 && { public_metrics: Object.fromEntries(known) }),
    ...(provided.hasUrl && { url: `https://example.com/${id}` }),
  }
}

/** Each list of tweets, and which tweets belong to it. */
const LISTS: readonly (readonly [path: string, belongs: (tweet: Tweet) => boolean])[] = [
  ['/tweets/user?username=owner', ({ author_id }) => author_id === OWNER.id],
  ['/tweets/replies?id=500', ({ referenced_tweets: [one] = [] }) => one?.type === 'replied_to'],
  ['/tweets/quote_tweets?id=500', ({ referenced_tweets: [one] = [] }) => one?.type === 'quoted'],
  ['/lists/tweets?id=600', ({ author_id }) => author_id === OWNER.id || author_id === '3'],
  ['/communities/posts?id=700', ({ community_id }) => community_id !== undefined],
  ['/tweets/search?words=Tweet', () => true],
]

onEveryState('every list is complete under inserts, with authors, URLs and known metrics', async (state) => {
  const [before, meanwhile] = [150, 40]
  const tweets = fc.sample(draft, before + meanwhile).map(toTweet)
  const users = [OWNER, { id: '2', name: 'Two', username: 'two' }]
  const follow = (at: number) => ({ kind: 'follow', from: String(2000 + at), to: OWNER.id }) as const
  const followers = Array.from({ length: 130 }, (_, at) => follow(at))
  // Two of three followers are stored, so pages are short.
  const stored = followers.filter((_, at) => at % 3 !== 0)
  const profiles = stored.map(({ from }) => ({ id: from, name: from, username: `u${from}` }))
  const members = [OWNER.id, '3'].map((from) => ({ kind: 'list_member', from, to: LIST.id }) as const)
  const bundle: Partial<SocialBundle> = {
    users: [...users, ...profiles],
    tweets: [ROOT, ...tweets.slice(0, before)],
    lists: [LIST],
    communities: [COMMUNITY],
    relations: [...followers, ...members],
  }
  await saveBundle(state, bundle, TEST_TIME)
  const { ask } = await openSocial(state)
  const late = tweets.slice(before)

  /** All pages of a list, with an insert after each. */
  async function readAll(path: string) {
    const pages: { readonly data: readonly (Tweet & { author?: SocialUser })[] }[] = []
    let token: string | undefined
    do {
      const { status, body, text } = await ask(`${path}${token ? `&next_token=${token}` : ''}`, {
        payer: TEST_PAYER,
      })
      assert.equal(status, 200, text)
      assert.equal(body.meta.result_count, body.data.length)
      pages.push(body)
      token = body.meta.next_token
      await saveBundle(state, { tweets: late.splice(0, 1) }, TEST_TIME)
    } while (token !== undefined)
    return pages
  }

  for (const [path, belongs] of LISTS) {
    const missing = new Set(late.map(({ id }) => id))
    const expected = [ROOT, ...tweets].filter((tweet) => !missing.has(tweet.id) && belongs(tweet))
    const isRootFound = path !== '/tweets/search?words=Tweet'
    const found = (await readAll(path)).flatMap(({ data }) => data)
    const ids = found.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length, `${path} returns no tweet twice`)
    for (const { id } of expected)
      if (isRootFound || id !== ROOT.id) assert.ok(ids.includes(id), `${path}: ${id}`)
    for (const { author, ...tweet } of found) {
      const saved = [ROOT, ...tweets].find(({ id }) => id === tweet.id)
      // No metric or URL is invented, and each tweet has its author if it is known.
      assert.deepEqual(tweet, saved)
      assert.ok(belongs(tweet), path)
      assert.deepEqual(
        author,
        users.find(({ id }) => id === tweet.author_id),
      )
    }
    const times = found.filter(({ id }) => id !== ROOT.id).map(({ created_at }) => created_at ?? '')
    assert.deepEqual(times, times.toSorted().toReversed(), `${path} is in order`)
  }

  const pages = await readAll('/users/followers?id=1')
  // 130 relations in pages of 50, of which two thirds are stored: 33, 33 and 20 of 50, 50 and 30.
  assert.deepEqual(
    pages.map(({ data }) => data.length),
    [33, 33, 20],
  )
  assert.deepEqual(
    pages.flatMap(({ data }) => data.map(({ id }) => id)),
    stored.map(({ from }) => from),
  )
})
