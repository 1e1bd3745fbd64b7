import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'
import { sampleUser } from '../../../sample/sample.ts'

const example: UserExample = {
  input: { id: '9120000000000000001' },
  output: {
    data: [sampleUser('jun_sample'), sampleUser('nadia_sample'), sampleUser('paulo_sample')],
    meta: { result_count: 3 },
  },
}

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
