import type { TweetPage } from '../../../envelope/envelope.ts'

export const example: { input: { words: string; minLikes: number }; output: TweetPage } = {
  input: {
    words: 'lemma',
    minLikes: 100,
  },
  output: {
    data: [
      {
        id: '9100000000000000016',
        text: '@omar_sample Sleep is no lemma.',
        author_id: '9000000000000000019',
        created_at: '2026-10-04T08:02:00.000Z',
        lang: 'en',
        conversation_id: '9100000000000000013',
        in_reply_to_user_id: '9000000000000000015',
        referenced_tweets: [
          {
            type: 'replied_to',
            id: '9100000000000000015',
          },
        ],
        public_metrics: {
          retweet_count: 9,
          reply_count: 0,
          like_count: 140,
          quote_count: 1,
          bookmark_count: 2,
        },
        entities: {
          mentions: [
            {
              start: 0,
              end: 12,
              username: 'omar_sample',
              id: '9000000000000000015',
            },
          ],
        },
        edit_history_tweet_ids: ['9100000000000000016'],
        possibly_sensitive: false,
        url: 'https://example.com/nadia_sample/9100000000000000016',
        author: {
          id: '9000000000000000019',
          name: 'Nadia Petrova',
          username: 'nadia_sample',
          description: 'Mathematics olympiads, old and new.',
          location: 'Sofia',
          url: 'https://example.com/nadia_sample',
          created_at: '2018-07-15T18:18:00.000Z',
          profile_image_url: 'https://example.com/nadia_sample/picture.png',
          protected: false,
          verified: false,
          verified_type: 'none',
          public_metrics: {
            followers_count: 7740,
            following_count: 130,
            tweet_count: 1530,
            listed_count: 91,
          },
        },
      },
    ],
    includes: {
      users: [
        {
          id: '9000000000000000019',
          name: 'Nadia Petrova',
          username: 'nadia_sample',
          description: 'Mathematics olympiads, old and new.',
          location: 'Sofia',
          url: 'https://example.com/nadia_sample',
          created_at: '2018-07-15T18:18:00.000Z',
          profile_image_url: 'https://example.com/nadia_sample/picture.png',
          protected: false,
          verified: false,
          verified_type: 'none',
          public_metrics: {
            followers_count: 7740,
            following_count: 130,
            tweet_count: 1530,
            listed_count: 91,
          },
        },
        {
          id: '9000000000000000015',
          name: 'Omar Haddad',
          username: 'omar_sample',
          description: 'Statistics for people who dislike numbers.',
          location: 'Amman',
          url: 'https://example.com/omar_sample',
          created_at: '2014-03-15T22:34:00.000Z',
          profile_image_url: 'https://example.com/omar_sample/picture.png',
          protected: false,
          verified: false,
          verified_type: 'none',
          public_metrics: {
            followers_count: 912,
            following_count: 455,
            tweet_count: 780,
            listed_count: 12,
          },
        },
      ],
      tweets: [
        {
          id: '9100000000000000015',
          text: '@nadia_sample I checked it for 1 to 10,000,000. Not a proof, but I slept well.',
          author_id: '9000000000000000015',
          created_at: '2026-10-04T07:50:00.000Z',
          lang: 'en',
          conversation_id: '9100000000000000013',
          in_reply_to_user_id: '9000000000000000019',
          referenced_tweets: [
            {
              type: 'replied_to',
              id: '9100000000000000013',
            },
          ],
          public_metrics: {
            retweet_count: 1,
            reply_count: 1,
            like_count: 77,
            quote_count: 0,
            bookmark_count: 0,
          },
          entities: {
            mentions: [
              {
                start: 0,
                end: 13,
                username: 'nadia_sample',
                id: '9000000000000000019',
              },
            ],
          },
          edit_history_tweet_ids: ['9100000000000000015'],
          possibly_sensitive: false,
          url: 'https://example.com/omar_sample/9100000000000000015',
        },
      ],
    },
    meta: {
      result_count: 1,
      newest_id: '9100000000000000016',
      oldest_id: '9100000000000000016',
    },
  },
}
