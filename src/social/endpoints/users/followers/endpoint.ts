import { defineUserListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const followers = defineUserListing({
  id: 'users.followers',
  path: '/users/followers',
  priceUsd: '0.01',
  summary: 'Followers of a user',
  description: 'Profiles that follow the user with this numeric ID, most recent first, paginated.',
  operation: 'followersOf',
  of: 'user',
  pageSize: 50,
  example,
})
