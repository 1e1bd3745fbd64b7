import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'
import { sampleUser } from '../../../sample/sample.ts'

const example: UserExample = {
  input: { id: '9000000000000000018' },
  output: {
    data: [sampleUser('sample_harbour'), sampleUser('mira_sample'), sampleUser('yuki_sample')],
    meta: { result_count: 3 },
  },
}

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
