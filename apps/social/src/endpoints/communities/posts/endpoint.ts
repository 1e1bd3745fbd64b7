import { defineTweetListing, type TweetExample } from '../../../listing/define-listing.ts'
import { sampleAnswer, sampleUser } from '../../../sample/sample.ts'

const example: TweetExample = {
  input: { id: '9140000000000000002' },
  output: {
    data: [sampleAnswer('9100000000000000044'), sampleAnswer('9100000000000000043')],
    includes: { users: [sampleUser('nadia_sample'), sampleUser('kofi_sample')] },
    meta: { result_count: 2, newest_id: '9100000000000000044', oldest_id: '9100000000000000043' },
  },
}

export const communityPosts = defineTweetListing({
  id: 'communities.posts',
  path: '/communities/posts',
  priceUsd: '0.01',
  summary: 'Posts of a community',
  description:
    'Latest posts of the community with this numeric ID, most recent first, with author profiles, paginated.',
  operation: 'tweetsOfCommunity',
  of: 'community',
  pageSize: 20,
  example,
})
