import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'

const example: UserExample = {
  input: {
    id: '9000000000000000018',
  },
  output: {
    data: [
      {
        id: '9000000000000000004',
        name: 'Harbour Office (sample)',
        username: 'sample_harbour',
        description: 'Tides and ship arrivals of a harbour that was made up.',
        location: 'Port Alder',
        url: 'https://example.com/sample_harbour',
        created_at: '2015-04-22T15:33:00.000Z',
        profile_image_url: 'https://example.com/sample_harbour/picture.png',
        protected: false,
        verified: true,
        verified_type: 'government',
        public_metrics: {
          followers_count: 40122,
          following_count: 18,
          tweet_count: 8120,
          listed_count: 301,
        },
      },
      {
        id: '9000000000000000001',
        name: 'Mira Solvang',
        username: 'mira_sample',
        description: 'Draws maps of places that do not exist.',
        location: 'Oslo',
        url: 'https://example.com/mira_sample',
        created_at: '2012-01-01T00:00:00.000Z',
        profile_image_url: 'https://example.com/mira_sample/picture.png',
        protected: false,
        verified: true,
        verified_type: 'blue',
        public_metrics: {
          followers_count: 18240,
          following_count: 512,
          tweet_count: 3911,
          listed_count: 204,
        },
      },
      {
        id: '9000000000000000014',
        name: 'Yuki Arai',
        username: 'yuki_sample',
        description: '写真と散歩。 Photos and walks.',
        location: 'Sendai',
        url: 'https://example.com/yuki_sample',
        created_at: '2013-02-08T17:23:00.000Z',
        profile_image_url: 'https://example.com/yuki_sample/picture.png',
        protected: false,
        verified: true,
        verified_type: 'blue',
        public_metrics: {
          followers_count: 30212,
          following_count: 288,
          tweet_count: 6021,
          listed_count: 233,
        },
      },
    ],
    meta: {
      result_count: 3,
    },
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
