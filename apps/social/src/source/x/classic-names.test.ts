import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { toClassicNames } from './classic-names.ts'

test('objects with the newer names get the classic ones', () => {
  const tweet = {
    id: '1',
    text: 'Post to post_count',
    public_metrics: { repost_count: 3, like_count: 0 },
    referenced_posts: [{ type: 'reposted', id: '2' }],
    note_post: { text: 'long' },
    edit_history_post_ids: ['1'],
    attachments: { media_source_post_id: ['5'] },
    created_at: 'Wed Jan 06 18:40:40 +0000 2021',
    in_reply_to_user_id: null,
  }
  const classic = {
    id: '1',
    text: 'Post to post_count',
    public_metrics: { retweet_count: 3, like_count: 0 },
    referenced_tweets: [{ type: 'retweeted', id: '2' }],
    note_tweet: { text: 'long' },
    edit_history_tweet_ids: ['1'],
    attachments: { media_source_tweet_id: ['5'] },
    created_at: '2021-01-06T18:40:40.000Z',
  }
  assert.deepEqual(toClassicNames('tweet', tweet), classic)
  const user = { id: '7', pinned_post_id: '1', public_metrics: { post_count: 9, followers_count: null } }
  const named = { id: '7', pinned_tweet_id: '1', public_metrics: { tweet_count: 9 } }
  assert.deepEqual(toClassicNames('user', user), named)
  assert.deepEqual(toClassicNames('includes', { posts: [tweet], users: [user], polls: [{ id: '3' }] }), {
    tweets: [classic],
    users: [named],
    polls: [{ id: '3' }],
  })
})

test('classic objects and unknown fields are unchanged', () => {
  assert.deepEqual(toClassicNames('user', { id: '1', public_metrics: { post_count: 1, tweet_count: 2 } }), {
    id: '1',
    public_metrics: { tweet_count: 2 },
  })
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const provided = JSON.parse(JSON.stringify(value), (_, part) => (part === null ? undefined : part)) ?? 0
      const plain = JSON.parse(JSON.stringify(provided))
      assert.deepEqual(JSON.parse(JSON.stringify(toClassicNames('tweet', { more: plain }))), { more: plain })
    }),
  )
})
