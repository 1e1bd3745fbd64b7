import { defineTweetListing } from '../../../listing/define-listing.ts'

const author = { id: '9000000000000000003', name: 'Jun Okafor', username: 'jun_sample' }

export const replies = defineTweetListing({
  id: 'tweets.replies',
  path: '/tweets/replies',
  priceUsd: '0.01',
  summary: 'Replies to a tweet',
  description: 'Replies to a tweet by its numeric ID, most recent first, with author profiles, paginated.',
  operation: 'repliesTo',
  of: 'tweet',
  pageSize: 30,
  example: {
    input: { id: '9100000000000000001' },
    output: {
      data: [
        {
          id: '9100000000000000002',
          text: 'The sourdough is alive again.',
          author_id: author.id,
          created_at: '2026-10-02T08:00:00.000Z',
          public_metrics: { retweet_count: 2, reply_count: 1, like_count: 17, quote_count: 0 },
          author,
        },
      ],
      includes: { users: [author] },
      meta: { result_count: 1, newest_id: '9100000000000000002', oldest_id: '9100000000000000002' },
    },
  },
})
