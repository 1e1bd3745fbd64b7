const author = {
  id: '9000000000000000003',
  name: 'Jun Okafor',
  username: 'jun_sample',
  created_at: '2014-03-15T10:22:00.000Z',
  verified: false,
  public_metrics: { followers_count: 842, following_count: 390, tweet_count: 1207, listed_count: 9 },
}

export const exampleOutput = {
  data: {
    id: '9100000000000000002',
    text: 'The sourdough is alive again.',
    author_id: author.id,
    created_at: '2026-10-02T08:00:00.000Z',
    lang: 'en',
    conversation_id: '9100000000000000001',
    referenced_tweets: [{ type: 'replied_to' as const, id: '9100000000000000001' }],
    public_metrics: {
      ...{ retweet_count: 2, reply_count: 1, like_count: 17, quote_count: 0, bookmark_count: 1 },
    },
    author,
  },
  includes: {
    users: [author],
    tweets: [{ id: '9100000000000000001', text: 'Who still bakes?', author_id: '9000000000000000001' }],
  },
}
