import { defineTweetListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

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
