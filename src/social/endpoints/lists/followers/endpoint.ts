import { defineUserListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const listFollowers = defineUserListing({
  id: 'lists.followers',
  path: '/lists/followers',
  priceUsd: '0.01',
  summary: 'Followers of a List',
  description: 'Profiles that follow the List with this numeric ID, most recent first, paginated.',
  operation: 'followersOfList',
  of: 'List',
  pageSize: 20,
  example,
})
