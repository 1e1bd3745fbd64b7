import type { ArticleAnswer } from '../../../../envelope/envelope.ts'

export const example: { input: { id: string }; output: ArticleAnswer } = {
  input: {
    id: '9100000000000000037',
  },
  output: {
    data: {
      id: '9100000000000000037',
      article_id: '9150000000000000001',
      title: 'What a median is, for people who dislike numbers',
      preview_text: 'Line everybody up by height and ask the one in the middle.',
      cover_image: {
        url: 'https://example.com/articles/median.png',
        width: 1600,
        height: 640,
      },
      published_at: '2026-10-08T12:55:00.000Z',
      author_id: '9000000000000000015',
      article_content:
        '# What a median is\n\nLine everybody up by height and ask **the one in the middle**. That is all.\n\n## Why not the average\n\nOne giant walks in, and the *average* grows by a head. The one in the middle does not even look up.\n\n- half are shorter,\n- half are taller,\n- nobody is average.\n\n## How to find it\n\n1. Sort.\n2. Count.\n3. Take the middle; of two middles, either will do.\n\n![Seven people in a row, the fourth one waving](https://example.com/articles/row.png)\n\n> A median is the number that nobody had to calculate.\n\nMore of this stands at [example.com](https://example.com/articles/median).',
      content_format: 'rich',
    },
    includes: {
      users: [
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
    },
  },
}
