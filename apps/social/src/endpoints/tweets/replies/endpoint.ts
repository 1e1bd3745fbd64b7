import { defineTweetListing, type TweetExample } from '../../../listing/define-listing.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../../sample/sample.ts'

const example: TweetExample = {
  input: { id: '9100000000000000017' },
  output: {
    data: [sampleAnswer('9100000000000000018')],
    includes: {
      users: [sampleUser('ben_sample'), sampleUser('sample_fc')],
      tweets: [sampleTweet('9100000000000000017')],
    },
    meta: { result_count: 1, newest_id: '9100000000000000018', oldest_id: '9100000000000000018' },
  },
}

export const replies = defineTweetListing({
  id: 'tweets.replies',
  path: '/tweets/replies',
  priceUsd: '0.01',
  summary: 'Replies to a tweet',
  description:
    'Reply tweets to a tweet by its numeric ID, most recent first, with author profiles and engagement metrics, paginated.',
  operation: 'repliesTo',
  of: 'tweet',
  pageSize: 30,
  example,
})
