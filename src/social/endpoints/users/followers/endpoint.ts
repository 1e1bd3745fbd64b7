import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'

const example: UserExample = {
  input: {
    id: '9000000000000000013',
  },
  output: {
    data: [
      {
        id: '9000000000000000003',
        name: 'Jun Okafor',
        username: 'jun_sample',
        description: 'Bread, bicycles and distributed systems.',
        location: 'Lagos',
        url: 'https://example.com/jun_sample',
        created_at: '2014-03-15T10:22:00.000Z',
        profile_image_url: 'https://example.com/jun_sample/picture.png',
        protected: false,
        verified: false,
        verified_type: 'none',
        public_metrics: {
          followers_count: 842,
          following_count: 390,
          tweet_count: 1207,
          listed_count: 9,
        },
      },
    ],
    meta: {
      result_count: 1,
    },
  },
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
