import { defineUserListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const following = defineUserListing({
  id: 'users.following',
  path: '/users/following',
  priceUsd: '0.01',
  summary: 'Whom a user follows',
  description: 'Profiles that the user with this numeric ID follows, the latest first, paginated.',
  operation: 'followedBy',
  of: 'user',
  pageSize: 50,
  example,
})
