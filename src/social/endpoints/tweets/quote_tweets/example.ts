import type { TweetExample } from '../../../listing/define-listing.ts'

export const example: TweetExample = {
  input: {
    id: '9100000000000000011',
  },
  output: {
    data: [
      {
        id: '9100000000000000012',
        text: '散歩の途中で土星を見た。 Saw Saturn on a walk. #写真 #saturn',
        author_id: '9000000000000000014',
        created_at: '2026-10-03T23:10:00.000Z',
        lang: 'ja',
        conversation_id: '9100000000000000012',
        referenced_tweets: [
          {
            type: 'quoted',
            id: '9100000000000000011',
          },
        ],
        public_metrics: {
          retweet_count: 55,
          reply_count: 4,
          like_count: 702,
          quote_count: 5,
          bookmark_count: 41,
        },
        entities: {
          hashtags: [
            {
              start: 35,
              end: 38,
              tag: '写真',
            },
            {
              start: 39,
              end: 46,
              tag: 'saturn',
            },
          ],
        },
        attachments: {
          media_keys: ['3_9130000000000000002'],
        },
        edit_history_tweet_ids: ['9100000000000000012'],
        possibly_sensitive: false,
        url: 'https://example.com/yuki_sample/9100000000000000012',
        author: {
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
      },
    ],
    includes: {
      users: [
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
        {
          id: '9000000000000000008',
          name: 'Observatory (sample)',
          username: 'sample_sky',
          description: 'What the invented telescope saw last night.',
          location: 'Mount Fable',
          url: 'https://example.com/sample_sky',
          created_at: '2019-08-22T11:17:00.000Z',
          profile_image_url: 'https://example.com/sample_sky/picture.png',
          protected: false,
          verified: true,
          verified_type: 'government',
          public_metrics: {
            followers_count: 223451,
            following_count: 6,
            tweet_count: 2011,
            listed_count: 1702,
          },
        },
      ],
      tweets: [
        {
          id: '9100000000000000011',
          text: 'Clear skies until 02:00. Saturn is up, rings and all. Exposure 120 s. #astronomy #saturn',
          author_id: '9000000000000000008',
          created_at: '2026-10-03T22:45:00.000Z',
          lang: 'en',
          conversation_id: '9100000000000000011',
          public_metrics: {
            retweet_count: 420,
            reply_count: 12,
            like_count: 3801,
            quote_count: 33,
            bookmark_count: 250,
          },
          entities: {
            hashtags: [
              {
                start: 70,
                end: 80,
                tag: 'astronomy',
              },
              {
                start: 81,
                end: 88,
                tag: 'saturn',
              },
            ],
          },
          attachments: {
            media_keys: ['3_9130000000000000001'],
          },
          edit_history_tweet_ids: ['9100000000000000011'],
          possibly_sensitive: false,
          url: 'https://example.com/sample_sky/9100000000000000011',
        },
      ],
      media: [
        {
          media_key: '3_9130000000000000002',
          type: 'photo',
          url: 'https://example.com/media/p2.png',
          width: 1200,
          height: 1600,
          alt_text: 'A path at dusk with one bright dot above it, drawn.',
        },
        {
          media_key: '3_9130000000000000001',
          type: 'photo',
          url: 'https://example.com/media/p1.png',
          width: 1600,
          height: 1200,
          alt_text: 'A ringed planet on black, drawn.',
        },
      ],
    },
    meta: {
      result_count: 1,
      newest_id: '9100000000000000012',
      oldest_id: '9100000000000000012',
    },
  },
}
