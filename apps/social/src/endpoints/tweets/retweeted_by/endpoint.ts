import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'
import { sampleUser } from '../../../sample/sample.ts'

const example: UserExample = {
  input: { id: '9100000000000000037' },
  output: { data: [sampleUser('ines_sample')], meta: { result_count: 1 } },
}

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
