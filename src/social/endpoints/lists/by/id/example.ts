import type { ListAnswer } from '../../../../envelope/envelope.ts'

export const example: { input: { id: string }; output: ListAnswer } = {
  input: {
    id: '9120000000000000001',
  },
  output: {
    data: {
      id: '9120000000000000001',
      name: 'Sky and weather',
      description: 'Who looks up, and says so.',
      private: false,
      member_count: 4,
      follower_count: 3,
      created_at: '2024-02-01T10:00:00.000Z',
      owner_id: '9000000000000000001',
      banner_image_url: 'https://example.com/lists/sky.png',
      mode: 'public',
      subscriber_count: 3,
      owner: {
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
    },
    includes: {
      users: [
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
      ],
    },
  },
}
