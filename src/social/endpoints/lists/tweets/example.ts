import type { TweetExample } from '../../../listing/define-listing.ts'

export const example: TweetExample = {
  input: {
    id: '9120000000000000001',
  },
  output: {
    data: [
      {
        id: '9100000000000000010',
        text: '@paulo_sample From 14:00, at the quay that is not there.',
        author_id: '9000000000000000004',
        created_at: '2026-10-03T05:31:00.000Z',
        lang: 'en',
        conversation_id: '9100000000000000008',
        in_reply_to_user_id: '9000000000000000018',
        referenced_tweets: [
          {
            type: 'replied_to',
            id: '9100000000000000009',
          },
        ],
        public_metrics: {
          retweet_count: 1,
          reply_count: 0,
          like_count: 20,
          quote_count: 0,
          bookmark_count: 0,
        },
        entities: {
          mentions: [
            {
              start: 0,
              end: 13,
              username: 'paulo_sample',
              id: '9000000000000000018',
            },
          ],
        },
        edit_history_tweet_ids: ['9100000000000000010'],
        possibly_sensitive: false,
        url: 'https://example.com/sample_harbour/9100000000000000010',
        author: {
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
      },
      {
        id: '9100000000000000008',
        text: 'High water 05:12, low water 11:27. Two ships expected: Good Intent (grain), Marigold (tea). #harbour',
        author_id: '9000000000000000004',
        created_at: '2026-10-03T05:00:00.000Z',
        lang: 'en',
        conversation_id: '9100000000000000008',
        public_metrics: {
          retweet_count: 6,
          reply_count: 2,
          like_count: 51,
          quote_count: 1,
          bookmark_count: 4,
        },
        entities: {
          hashtags: [
            {
              start: 92,
              end: 100,
              tag: 'harbour',
            },
          ],
        },
        edit_history_tweet_ids: ['9100000000000000008'],
        possibly_sensitive: false,
        url: 'https://example.com/sample_harbour/9100000000000000008',
        author: {
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
      },
    ],
    includes: {
      users: [
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
      ],
      tweets: [
        {
          id: '9100000000000000009',
          text: '@sample_harbour Tea! ☕ When may one queue?',
          author_id: '9000000000000000018',
          created_at: '2026-10-03T05:20:00.000Z',
          lang: 'en',
          conversation_id: '9100000000000000008',
          in_reply_to_user_id: '9000000000000000004',
          referenced_tweets: [
            {
              type: 'replied_to',
              id: '9100000000000000008',
            },
          ],
          public_metrics: {
            retweet_count: 0,
            reply_count: 1,
            like_count: 12,
            quote_count: 0,
            bookmark_count: 0,
          },
          entities: {
            mentions: [
              {
                start: 0,
                end: 15,
                username: 'sample_harbour',
                id: '9000000000000000004',
              },
            ],
          },
          edit_history_tweet_ids: ['9100000000000000009'],
          possibly_sensitive: false,
          url: 'https://example.com/paulo_sample/9100000000000000009',
        },
      ],
    },
    meta: {
      result_count: 2,
      newest_id: '9100000000000000010',
      oldest_id: '9100000000000000008',
    },
  },
}
