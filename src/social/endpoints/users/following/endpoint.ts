import { defineUserListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const following = defineUserListing({
  id: 'users.following',
  path: '/users/following',
  priceUsd: '0.01',
  summary: 'Users that a user follows',
  description: 'Profiles that the user with this numeric ID follows, most recent first, paginated.',
  operation: 'followedBy',
  of: 'user',
  pageSize: 50,
  example,
})
