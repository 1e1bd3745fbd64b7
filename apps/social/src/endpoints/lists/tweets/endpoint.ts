import { defineTweetListing, type TweetExample } from '../../../listing/define-listing.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../../sample/sample.ts'

const example: TweetExample = {
  input: { id: '9120000000000000001' },
  output: {
    data: [sampleAnswer('9100000000000000010'), sampleAnswer('9100000000000000008')],
    includes: { users: [sampleUser('sample_harbour')], tweets: [sampleTweet('9100000000000000009')] },
    meta: { result_count: 2, newest_id: '9100000000000000010', oldest_id: '9100000000000000008' },
  },
}

export const listTweets = defineTweetListing({
  id: 'lists.tweets',
  path: '/lists/tweets',
  priceUsd: '0.01',
  summary: 'Tweets of a List',
  description:
    'Latest tweets of the members of the List with this numeric ID, most recent first, with author profiles, paginated.',
  operation: 'tweetsOfList',
  of: 'List',
  pageSize: 100,
  example,
})
