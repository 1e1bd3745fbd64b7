import type { Batch } from '../../envelope/envelope.ts'

export const example: { input: { ids: string }; output: Batch } = {
  input: {
    ids: '9100000000000000019,1',
  },
  output: {
    data: [
      {
        id: '9100000000000000019',
        text: '@ben_sample Welcome, Ben. Both records stand.',
        author_id: '9000000000000000017',
        created_at: '2026-10-04T17:20:00.000Z',
        lang: 'en',
        conversation_id: '9100000000000000017',
        in_reply_to_user_id: '9000000000000000020',
        referenced_tweets: [
          {
            type: 'replied_to',
            id: '9100000000000000018',
          },
        ],
        public_metrics: {
          retweet_count: 4,
          reply_count: 0,
          like_count: 88,
          quote_count: 0,
          bookmark_count: 0,
        },
        entities: {
          mentions: [
            {
              start: 0,
              end: 11,
              username: 'ben_sample',
              id: '9000000000000000020',
            },
          ],
        },
        edit_history_tweet_ids: ['9100000000000000019'],
        possibly_sensitive: false,
        url: 'https://example.com/sample_fc/9100000000000000019',
        author: {
          id: '9000000000000000017',
          name: 'Sample Football Club',
          username: 'sample_fc',
          description: 'Results of a club that never played.',
          location: 'Norwood',
          url: 'https://example.com/sample_fc',
          created_at: '2016-05-01T08:56:00.000Z',
          profile_image_url: 'https://example.com/sample_fc/picture.png',
          protected: false,
          verified: true,
          verified_type: 'business',
          public_metrics: {
            followers_count: 150044,
            following_count: 35,
            tweet_count: 20311,
            listed_count: 640,
          },
        },
      },
    ],
    includes: {
      users: [
        {
          id: '9000000000000000017',
          name: 'Sample Football Club',
          username: 'sample_fc',
          description: 'Results of a club that never played.',
          location: 'Norwood',
          url: 'https://example.com/sample_fc',
          created_at: '2016-05-01T08:56:00.000Z',
          profile_image_url: 'https://example.com/sample_fc/picture.png',
          protected: false,
          verified: true,
          verified_type: 'business',
          public_metrics: {
            followers_count: 150044,
            following_count: 35,
            tweet_count: 20311,
            listed_count: 640,
          },
        },
        {
          id: '9000000000000000020',
          name: 'Ben Carter',
          username: 'ben_sample',
          description: 'First post pending.',
          location: 'Leeds',
          url: 'https://example.com/ben_sample',
          created_at: '2019-08-22T23:29:00.000Z',
          profile_image_url: 'https://example.com/ben_sample/picture.png',
          protected: false,
          verified: false,
          verified_type: 'none',
          public_metrics: {
            followers_count: 12,
            following_count: 60,
            tweet_count: 1,
            listed_count: 0,
          },
        },
      ],
      tweets: [
        {
          id: '9100000000000000018',
          text: '@sample_fc I was there. It was my first match and my first post.',
          author_id: '9000000000000000020',
          created_at: '2026-10-04T17:05:00.000Z',
          lang: 'en',
          conversation_id: '9100000000000000017',
          in_reply_to_user_id: '9000000000000000017',
          referenced_tweets: [
            {
              type: 'replied_to',
              id: '9100000000000000017',
            },
          ],
          public_metrics: {
            retweet_count: 0,
            reply_count: 1,
            like_count: 5,
            quote_count: 0,
            bookmark_count: 0,
          },
          entities: {
            mentions: [
              {
                start: 0,
                end: 10,
                username: 'sample_fc',
                id: '9000000000000000017',
              },
            ],
          },
          edit_history_tweet_ids: ['9100000000000000018'],
          possibly_sensitive: false,
          url: 'https://example.com/ben_sample/9100000000000000018',
        },
      ],
    },
    errors: [
      {
        resource_type: 'tweet',
        resource_id: '1',
        parameter: 'ids',
        value: '1',
        title: 'Not Found Error',
        detail: 'No tweet has the id 1.',
      },
    ],
  },
}
