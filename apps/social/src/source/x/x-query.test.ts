import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { fc } from '@tollbook/testing/property'
import type { TweetQuery } from '../provider.ts'
import { findXQueryIssues, toXBounds, toXQuery } from './x-query.ts'

const NOW_MS = TEST_TIME.getTime()
const DAY_MS = 86_400_000
const EMPTY: TweetQuery = {
  words: [],
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
const query = (more: Partial<TweetQuery>): TweetQuery => ({ ...EMPTY, ...more })

test('each filter is an operator of the X API', () => {
  assert.equal(
    toXQuery({
      words: ['salt', 'AT&T'],
      phrase: 'high water',
      anyWords: ['ebb', 'flood'],
      noneWords: ['spam'],
      hashtags: ['tides'],
      from: 'jun',
      to: 'lea',
      mentioning: 'harbour',
      minReplies: 1,
      minLikes: 20,
      minReposts: 3,
      lang: 'en',
      since: null,
      until: null,
    }),
    'salt "AT&T" "high water" (ebb OR flood) #tides from:jun to:lea @harbour min_replies:1 min_likes:20 min_reposts:3 lang:en -spam',
  )
  assert.equal(toXQuery(query({ anyWords: ['ebb'], noneWords: ['high-water'] })), 'ebb -"high-water"')
})

test("callers' input cannot act as an operator", () => {
  for (const [word, sent] of [
    ['from:jun', '"from:jun"'],
    ['OR', '"OR"'],
    ['or', '"or"'],
    ['-word', '"-word"'],
    ['(a', '"(a"'],
    ['a"b', '"a b"'],
    ['a\\"', '"a"'],
    ['“a”', '"a"'],
    ['日本語', '日本語'],
  ] as const)
    assert.equal(toXQuery(query({ words: [word] })), sent)
  const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(part, fc.array(part, { maxLength: 3 }), part, (phrase, words, tag) => {
      const sent = toXQuery(query({ phrase, words, hashtags: [tag] }))
      // Outside of quotes there are only single words and hashtags, so nothing opens or closes a quote.
      const bare = sent.replace(/"[^"]*"/gu, '')
      assert.match(bare, /^[\p{L}\p{M}\p{N}_# ]*$/u)
      for (const left of bare.split(' ')) assert.ok(!['OR', 'AND', 'NOT'].includes(left.toUpperCase()))
      assert.doesNotMatch(sent, /[\\“”]/u)
    }),
  )
})

test('time bounds are sent if the X API accepts them', () => {
  const since = new Date(NOW_MS - 2 * DAY_MS)
  const until = new Date(NOW_MS - DAY_MS)
  assert.deepEqual(toXBounds(query({ since, until }), 'recent', NOW_MS), {
    start_time: '2026-11-19T10:00:00Z',
    end_time: '2026-11-20T10:00:00Z',
  })
  const old = new Date(NOW_MS - 30 * DAY_MS)
  const later = new Date(NOW_MS + DAY_MS)
  // Only the last 7 days are searched, and nothing is newer than now.
  assert.deepEqual(toXBounds(query({ since: old, until: later }), 'recent', NOW_MS), {})
  assert.deepEqual(toXBounds(query({ since: old }), 'all', NOW_MS), { start_time: '2026-10-22T10:00:00Z' })
  assert.deepEqual(toXBounds(query({ until: new Date(NOW_MS - 1) }), 'all', NOW_MS), {
    end_time: '2026-11-21T09:59:50Z',
  })
})

test('queries that X cannot search are reported as issues', () => {
  const issuesOf = (more: Partial<TweetQuery>, search: 'recent' | 'all' = 'recent') =>
    findXQueryIssues(query(more), search, NOW_MS).map(({ parameter }) => parameter)
  assert.deepEqual(issuesOf({ noneWords: ['a'], minLikes: 5, lang: 'en' }), ['words'])
  assert.deepEqual(issuesOf({ from: 'bread.example', words: ['a'] }), ['from'])
  assert.deepEqual(issuesOf({ words: ['a'.repeat(513)] }), ['words'])
  assert.deepEqual(issuesOf({ words: ['a'.repeat(513)] }, 'all'), [])
  const until = new Date(NOW_MS - 7 * DAY_MS)
  assert.deepEqual(issuesOf({ words: ['a'], until }), ['until'])
  assert.deepEqual(issuesOf({ words: ['a'], until }, 'all'), [])
  for (const alone of [{ words: ['a'] }, { phrase: 'a' }, { hashtags: ['a'] }, { mentioning: 'jun' }])
    assert.deepEqual(issuesOf(alone), [])
})
