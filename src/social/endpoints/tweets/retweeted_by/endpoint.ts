import { defineUserListing, type UserExample } from '../../../listing/define-listing.ts'

const example: UserExample = {
  input: {
    id: '9100000000000000037',
  },
  output: {
    data: [
      {
        id: '9000000000000000010',
        name: 'Ines Laurent',
        username: 'ines_sample',
        description: 'Translator: French, Polish, silence.',
        location: 'Lyon',
        url: 'https://example.com/ines_sample',
        created_at: '2021-10-08T21:39:00.000Z',
        profile_image_url: 'https://example.com/ines_sample/picture.png',
        protected: false,
        verified: false,
        verified_type: 'none',
        public_metrics: {
          followers_count: 1288,
          following_count: 1011,
          tweet_count: 14209,
          listed_count: 22,
        },
      },
    ],
    meta: {
      result_count: 1,
    },
  },
}

export const retweetedBy = defineUserListing({
  id: 'tweets.retweeted_by',
  path: '/tweets/retweeted_by',
  priceUsd: '0.01',
  summary: 'Users who reposted a tweet',
  description: 'User profiles that reposted the tweet with this numeric ID, most recent first, paginated.',
  operation: 'repostersOf',
  of: 'tweet',
  pageSize: 20,
  example,
})
