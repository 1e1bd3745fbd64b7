import assert from 'node:assert/strict'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { fc } from '@tollbook/testing/property'
import { socialPorts } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { referenceOf, type SocialUser, type Tweet } from '../../model.ts'
import type { TweetQuery } from '../provider.ts'
import { saveBundle } from './save-bundle.ts'

const WORDS = ['tea', 'Bread', 'café', 'sky', '日本', '本語', '☕', 'fo_o', "don't"]
const TAGS = ['Tea', 'sky', '写真']
const USERS: readonly SocialUser[] = [1, 2, 3].map((number) => ({
  id: String(number),
  name: `User ${number}`,
  username: `User_${number}`,
}))
const DAY = 86_400_000
const START = Date.UTC(2026, 9, 1)

const word = fc.constantFrom(...WORDS)
const username = fc.constantFrom(...USERS.map((user) => user.username), 'nobody')
const draft = fc.record({
  words: fc.array(word, { maxLength: 6 }),
  tags: fc.array(fc.constantFrom(...TAGS), { maxLength: 2 }),
  mention: fc.option(username),
  author: fc.constantFrom(...USERS),
  answers: fc.option(fc.constantFrom(...USERS)),
  dayOf: fc.double({ min: 0, max: 6, noNaN: true }),
  likes: fc.option(fc.constantFrom(0, 1, 9, 10, 99, 100, 12_345)),
  reposts: fc.option(fc.constantFrom(0, 5, 50)),
  replies: fc.option(fc.constantFrom(0, 3, 30)),
  lang: fc.constantFrom('en', 'ja', undefined),
  isRepost: fc.constantFrom(false, false, false, true),
})
const filters = fc.record({
  words: fc.array(word, { maxLength: 2 }),
  phrase: fc.option(
    fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(' ')),
    { freq: 3 },
  ),
  anyWords: fc.array(word, { maxLength: 2 }),
  noneWords: fc.array(word, { maxLength: 2 }),
  hashtags: fc.array(fc.constantFrom('tea', 'SKY', '写真'), { maxLength: 1 }),
  from: fc.option(username, { freq: 4 }),
  to: fc.option(username, { freq: 4 }),
  mentioning: fc.option(username, { freq: 4 }),
  minLikes: fc.option(fc.constantFrom(0, 1, 10, 50, 12_345), { freq: 3 }),
  minReposts: fc.option(fc.constantFrom(5, 6), { freq: 4 }),
  minReplies: fc.option(fc.constantFrom(3), { freq: 4 }),
  since: fc.option(
    fc.integer({ min: 0, max: 5 }).map((day) => new Date(START + day * DAY)),
    { freq: 3 },
  ),
  until: fc.option(
    fc.integer({ min: 1, max: 6 }).map((day) => new Date(START + day * DAY)),
    { freq: 3 },
  ),
  lang: fc.option(fc.constantFrom('en', 'ja'), { freq: 4 }),
})

function toTweet(
  provided: typeof draft extends fc.Arbitrary<infer Draft> ? Draft : never,
  number: number,
): Tweet {
  const mention = provided.mention === null ? '' : ` @${provided.mention}`
  return {
    id: String(1000 + number),
    text: `${provided.words.join(' ')}${provided.tags.map((tag) => ` #${tag}`).join('')}${mention}`,
    author_id: provided.author.id,
    created_at: new Date(START + Math.floor(provided.dayOf * DAY)).toISOString(),
    public_metrics: {
      ...(provided.likes !== null && { like_count: provided.likes }),
      ...(provided.reposts !== null && { retweet_count: provided.reposts }),
      ...(provided.replies !== null && { reply_count: provided.replies }),
    },
    ...(provided.answers && { in_reply_to_user_id: provided.answers.id }),
    ...(provided.lang && { lang: provided.lang }),
    ...(provided.isRepost && { referenced_tweets: [{ type: 'retweeted' as const, id: '1' }] }),
  }
}

/** Slow and obvious: every filter is applied to the plain text. */
function fits(tweet: Tweet, query: TweetQuery): boolean {
  const plain = (text: string) =>
    text
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f]/g, '')
      .toLowerCase()
  const text = ` ${plain(tweet.text).replaceAll(/[#@'\s]+/g, ' ')} `
  const stands = (provided: string) => {
    const wanted = plain(provided)
      .replaceAll(/[#@'\s]+/g, ' ')
      .trim()
    // Words of scripts without spaces may be part of longer runs.
    const starts = /^[日本語]/.test(wanted) ? '' : ' '
    const ends = /[日本語]$/.test(wanted) ? '' : ' '
    return text.includes(`${starts}${wanted}${ends}`)
  }
  const idOf = (name: string) => USERS.find((user) => plain(user.username) === plain(name))?.id ?? 'none'
  const { like_count = -1, retweet_count = -1, reply_count = -1 } = tweet.public_metrics ?? {}
  const created = new Date(tweet.created_at ?? 0)
  return (
    referenceOf(tweet, 'retweeted') === undefined &&
    query.words.every(stands) &&
    (query.phrase === null || stands(query.phrase)) &&
    (query.anyWords.length === 0 || query.anyWords.some(stands)) &&
    !query.noneWords.some(stands) &&
    query.hashtags.every((tag) =>
      plain(tweet.text)
        .split(' ')
        .includes(`#${plain(tag)}`),
    ) &&
    (query.from === null || tweet.author_id === idOf(query.from)) &&
    (query.to === null || tweet.in_reply_to_user_id === idOf(query.to)) &&
    (query.mentioning === null ||
      plain(tweet.text)
        .split(' ')
        .includes(`@${plain(query.mentioning)}`)) &&
    like_count >= (query.minLikes ?? -1) &&
    retweet_count >= (query.minReposts ?? -1) &&
    reply_count >= (query.minReplies ?? -1) &&
    (query.since === null || created >= query.since) &&
    (query.until === null || created < query.until) &&
    (query.lang === null || tweet.lang === query.lang)
  )
}

onEveryState(
  'a search returns the results of a slow and obvious one, newest first, page by page under inserts',
  async (state) => {
    const { searchTweets } = socialPorts(state).provider.operations
    assert.ok(searchTweets)
    const asking = { signal: new AbortController().signal }
    await saveBundle(state, { users: USERS }, TEST_TIME)
    const drafts = fc.sample(draft, { numRuns: 400 })
    const early = drafts.slice(0, 300).map(toTweet)
    const late = drafts.slice(300).map((one, at) => toTweet(one, 300 + at))
    await saveBundle(state, { tweets: early }, TEST_TIME)
    // Some are updated with other counts, as in production.
    const changed = early.slice(0, 50).map((one) => ({ ...one, public_metrics: { like_count: 50 } }))
    await saveBundle(state, { tweets: changed }, TEST_TIME)
    const known = new Map([...early, ...changed].map((one) => [one.id, one]))
    const waiting = [...late]

    for (const query of fc.sample(filters, { numRuns: 120 })) {
      const expected = [...known.values()].filter((one) => fits(one, query)).map(({ id }) => id)
      const seen: string[] = []
      let position: string | null = null
      do {
        const page: Awaited<ReturnType<typeof searchTweets>> = await searchTweets(
          query,
          { limit: 7, position },
          asking,
        )
        seen.push(...page.data.map(({ id }) => id))
        position = page.next
        const one = waiting.pop()
        if (one && position !== null) {
          await saveBundle(state, { tweets: [one] }, TEST_TIME)
          known.set(one.id, one)
        }
      } while (position !== null)
      assert.equal(new Set(seen).size, seen.length, 'no tweet is returned twice')
      for (const id of expected) assert.ok(seen.includes(id), `${id} is found by ${JSON.stringify(query)}`)
      for (const id of seen)
        assert.ok(fits(known.get(id) as Tweet, query), `${id} matches ${JSON.stringify(query)}`)
      const times = seen.map((id) => known.get(id)?.created_at ?? '')
      assert.deepEqual(times, times.toSorted().toReversed())
    }
  },
)
