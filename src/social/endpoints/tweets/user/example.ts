import type { TweetPage } from '../../../envelope/envelope.ts'

export const example: { input: { username: string }; output: TweetPage } = {
  input: {
    username: 'ravi_sample',
  },
  output: {
    data: [
      {
        id: '9100000000000000020',
        text: 'Cloud over cloud, and under them / the bus that never comes. #weather #verse',
        author_id: '9000000000000000006',
        created_at: '2026-10-05T06:12:00.000Z',
        lang: 'en',
        conversation_id: '9100000000000000020',
        public_metrics: {
          retweet_count: 8,
          reply_count: 1,
          like_count: 64,
          quote_count: 1,
          bookmark_count: 5,
        },
        entities: {
          hashtags: [
            {
              start: 61,
              end: 69,
              tag: 'weather',
            },
            {
              start: 70,
              end: 76,
              tag: 'verse',
            },
          ],
        },
        edit_history_tweet_ids: ['9100000000000000020'],
        possibly_sensitive: false,
        url: 'https://example.com/ravi_sample/9100000000000000020',
        author: {
          id: '9000000000000000006',
          name: 'Ravi Menon',
          username: 'ravi_sample',
          description: 'Weather in verse.',
          location: 'Kochi',
          url: 'https://example.com/ravi_sample',
          created_at: '2017-06-08T01:55:00.000Z',
          profile_image_url: 'https://example.com/ravi_sample/picture.png',
          protected: false,
          verified: false,
          verified_type: 'none',
          public_metrics: {
            followers_count: 2210,
            following_count: 840,
            tweet_count: 5120,
            listed_count: 31,
          },
        },
      },
    ],
    includes: {
      users: [
        {
          id: '9000000000000000006',
          name: 'Ravi Menon',
          username: 'ravi_sample',
          description: 'Weather in verse.',
          location: 'Kochi',
          url: 'https://example.com/ravi_sample',
          created_at: '2017-06-08T01:55:00.000Z',
          profile_image_url: 'https://example.com/ravi_sample/picture.png',
          protected: false,
          verified: false,
          verified_type: 'none',
          public_metrics: {
            followers_count: 2210,
            following_count: 840,
            tweet_count: 5120,
            listed_count: 31,
          },
        },
      ],
    },
    meta: {
      result_count: 1,
      newest_id: '9100000000000000020',
      oldest_id: '9100000000000000020',
    },
  },
}
