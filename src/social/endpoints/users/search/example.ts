import type { UserPage } from '../../../envelope/envelope.ts'

export const example: { input: { query: string }; output: UserPage } = {
  input: {
    query: 'chess',
  },
  output: {
    data: [
      {
        id: '9000000000000000009',
        name: 'Kofi Adjei',
        username: 'kofi_sample',
        description: 'Chess problems, mate in three.',
        location: 'Accra',
        url: 'https://example.com/kofi_sample',
        created_at: '2020-09-01T16:28:00.000Z',
        profile_image_url: 'https://example.com/kofi_sample/picture.png',
        protected: false,
        verified: true,
        verified_type: 'blue',
        public_metrics: {
          followers_count: 10922,
          following_count: 201,
          tweet_count: 9003,
          listed_count: 120,
        },
      },
    ],
    meta: {
      result_count: 1,
    },
  },
}
