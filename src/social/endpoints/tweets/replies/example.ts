import type { TweetExample } from '../../../listing/define-listing.ts'

export const example: TweetExample = {
  input: {
    id: '9100000000000000017',
  },
  output: {
    data: [
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
        author: {
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
      },
    ],
    includes: {
      users: [
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
      ],
      tweets: [
        {
          id: '9100000000000000017',
          text: 'Full time: Sample FC 0, nobody 0. The crowd was silent throughout. #samplefc',
          author_id: '9000000000000000017',
          created_at: '2026-10-04T16:50:00.000Z',
          lang: 'en',
          conversation_id: '9100000000000000017',
          public_metrics: {
            retweet_count: 120,
            reply_count: 40,
            like_count: 2400,
            quote_count: 18,
            bookmark_count: 11,
          },
          entities: {
            hashtags: [
              {
                start: 67,
                end: 76,
                tag: 'samplefc',
              },
            ],
          },
          edit_history_tweet_ids: ['9100000000000000017'],
          possibly_sensitive: false,
          url: 'https://example.com/sample_fc/9100000000000000017',
        },
      ],
    },
    meta: {
      result_count: 1,
      newest_id: '9100000000000000018',
      oldest_id: '9100000000000000018',
    },
  },
}
