import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'
import { sampleUser } from '../../../sample/sample.ts'

const example: UserExample = {
  input: { id: '9120000000000000002' },
  output: {
    data: [
      sampleUser('sample_desk'),
      sampleUser('sample_harbour'),
      sampleUser('sample_bus7'),
      sampleUser('sample_fc'),
    ],
    meta: { result_count: 4 },
  },
}

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
