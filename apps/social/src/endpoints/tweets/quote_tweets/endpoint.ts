import { defineTweetListing, type TweetExample } from '../../../listing/define-listing.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../../sample/sample.ts'

const example: TweetExample = {
  input: { id: '9100000000000000011' },
  output: {
    data: [sampleAnswer('9100000000000000012')],
    includes: {
      users: [sampleUser('yuki_sample'), sampleUser('sample_sky')],
      tweets: [sampleTweet('9100000000000000011')],
      media: [
        {
          media_key: '3_9130000000000000002',
          type: 'photo',
          url: 'https://example.com/media/p2.png',
          width: 1200,
          height: 1600,
          alt_text: 'A path at dusk with one bright dot above it, drawn.',
        },
        {
          media_key: '3_9130000000000000001',
          type: 'photo',
          url: 'https://example.com/media/p1.png',
          width: 1600,
          height: 1200,
          alt_text: 'A ringed planet on black, drawn.',
        },
      ],
    },
    meta: { result_count: 1, newest_id: '9100000000000000012', oldest_id: '9100000000000000012' },
  },
}

export const quoteTweets = defineTweetListing({
  id: 'tweets.quote_tweets',
  path: '/tweets/quote_tweets',
  priceUsd: '0.01',
  summary: 'Quotes of a tweet',
  description:
    'Quote tweets of a tweet by its numeric ID, most recent first, with author profiles and engagement metrics, paginated.',
  operation: 'quotesOf',
  of: 'tweet',
  pageSize: 20,
  example,
})
