import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'
import { sampleUser } from '../../../sample/sample.ts'

const example: UserExample = {
  input: { id: '9000000000000000013' },
  output: { data: [sampleUser('jun_sample')], meta: { result_count: 1 } },
}

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
