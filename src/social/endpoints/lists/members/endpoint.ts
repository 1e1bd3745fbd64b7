import { defineUserListing } from '../../../listing/define-listing.ts'
import { example } from './example.ts'

export const listMembers = defineUserListing({
  id: 'lists.members',
  path: '/lists/members',
  priceUsd: '0.01',
  summary: 'Members of a List',
  description: 'Member profiles of the List with this numeric ID, most recent first, paginated.',
  operation: 'membersOfList',
  of: 'List',
  pageSize: 100,
  example,
})
