import { defineTweetListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

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
