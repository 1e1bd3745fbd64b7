import { defineUserListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const retweetedBy = defineUserListing({
  id: 'tweets.retweeted_by',
  path: '/tweets/retweeted_by',
  priceUsd: '0.01',
  summary: 'Users who reposted a tweet',
  description: 'User profiles that reposted the tweet with this numeric ID, most recent first, paginated.',
  operation: 'repostersOf',
  of: 'tweet',
  pageSize: 20,
  example,
})
