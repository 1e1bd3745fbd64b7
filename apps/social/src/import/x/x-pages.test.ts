import assert from 'node:assert/strict'
import { importPlace, withFile } from '@tollbook/testing/social/import-social'
import { socialPorts } from '@tollbook/testing/social/open-social'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'

const asking = { signal: new AbortController().signal }
const metrics = { reply_count: 2, like_count: 30, quote_count: 0 }

/** The same page as both versions of the API write it (docs.x.com, versions 2.166 and 2.167). */
const CLASSIC = {
  data: [
    {
      id: '20',
      text: 'first #bread',
      author_id: '7',
      created_at: '2021-02-03T04:05:06.000Z',
      lang: 'en',
      edit_history_tweet_ids: ['20'],
      public_metrics: { ...metrics, retweet_count: 4 },
      referenced_tweets: [{ type: 'retweeted', id: '19' }],
      unknown_field: { retained: true },
    },
  ],
  includes: {
    users: [
      {
        id: '7',
        name: 'Seven',
        username: 'seven',
        public_metrics: { tweet_count: 1 },
        pinned_tweet_id: '20',
      },
    ],
    tweets: [{ id: '19', text: 'what it repeats', author_id: '7' }],
    media: [{ media_key: '3_5', type: 'photo', url: 'https://example.com/5.jpg' }],
  },
  meta: { result_count: 1 },
}
const NEWER = {
  data: [
    {
      id: '20',
      text: 'first #bread',
      author_id: '7',
      created_at: '2021-02-03T04:05:06.000Z',
      lang: 'en',
      edit_history_post_ids: ['20'],
      public_metrics: { ...metrics, repost_count: 4 },
      referenced_posts: [{ type: 'reposted', id: '19' }],
      unknown_field: { retained: true },
    },
  ],
  includes: {
    users: [
      { id: '7', name: 'Seven', username: 'seven', public_metrics: { post_count: 1 }, pinned_post_id: '20' },
    ],
    posts: [{ id: '19', text: 'what it repeats', author_id: '7' }],
    media: [{ media_key: '3_5', type: 'photo', url: 'https://example.com/5.jpg' }],
  },
  meta: { result_count: 1 },
}

for (const [dialect, page] of [
  ['tweet', CLASSIC],
  ['post', NEWER],
] as const)
  onEveryState(
    `a page with ${dialect} names is returned with classic names and without losing a field`,
    async (state) => {
      const { counts } = await withFile(JSON.stringify(page, null, 2), (path) => importPlace(state, path))
      assert.deepEqual(counts, {
        users: 1,
        tweets: 2,
        media: 1,
        lists: 0,
        communities: 0,
        articles: 0,
        relations: 0,
        skipped: 0,
      })
      const { tweetById, userByUsername } = socialPorts(state).provider.operations
      const [provided] = CLASSIC.data
      const found = await tweetById?.('20', asking)
      assert.deepEqual(found?.data, { ...provided, url: 'https://x.com/i/status/20' })
      assert.deepEqual(await userByUsername?.('seven', asking), CLASSIC.includes.users[0])
    },
  )

onSqliteState(
  'lines contain pages or single objects; invalid ones are counted and reported with their line',
  async (state) => {
    const lines = [
      { data: { id: '1', text: 'one' } },
      { id: '2', text: 'two', author: { id: '7' } },
      { id: '7', name: 'Seven', username: 'seven' },
      { id: '30', name: 'Bakers', owner_id: '7', private: false },
      { id: '40', name: 'Bread', access: 'public' },
      { data: [{ id: '3', text: 'three' }, 5], errors: [{ title: 'Not Found Error' }] },
      { id: 'x', text: 'no id' },
      { id: '9', title: 'a Space' },
      [],
      7,
    ]
    const text = lines.map((line) => JSON.stringify(line)).join('\n')
    const { counts, issues } = await withFile(text, (path) => importPlace(state, path))
    assert.deepEqual(counts, {
      users: 1,
      tweets: 3,
      media: 0,
      lists: 1,
      communities: 1,
      articles: 0,
      relations: 0,
      skipped: 5,
    })
    assert.deepEqual(
      issues.map((issue) => issue.replace(/(tweet: id): .*/, '$1')),
      [
        '6: an invalid object in a page',
        '7: tweet: id',
        '8: an object that is not a tweet, user, media, list or community',
        '9: neither a page nor an object',
        '10: neither a page nor an object',
      ],
    )
  },
)

onSqliteState(
  'users of a page are related to the object that twarc requested, the first being the newest',
  async (state) => {
    const user = (id: string) => ({ id, name: id, username: `u${id}` })
    const page = (path: string, ids: readonly string[]) =>
      JSON.stringify({
        data: ids.map(user),
        __twarc: { url: `https://api.twitter.com/2/${path}?max_results=9` },
      })
    const text = [
      page('users/1/followers', ['2', '3']),
      page('users/1/following', ['4']),
      page('tweets/5/retweeted_by', ['3']),
      page('lists/6/members', ['2']),
      JSON.stringify(user('1')),
    ].join('\n')
    const { counts } = await withFile(text, (path) => importPlace(state, path))
    assert.equal(counts.relations, 5)
    const { followersOf, followedBy } = socialPorts(state).provider.operations
    const page1 = { limit: 9, position: null }
    assert.deepEqual(
      (await followersOf?.('1', page1, asking))?.data.map(({ id }) => id),
      ['2', '3'],
    )
    assert.deepEqual(
      (await followedBy?.('1', page1, asking))?.data.map(({ id }) => id),
      ['4'],
    )
    const kinds = await state.db
      .selectFrom('social_relation')
      .select(['kind', 'from_id', 'to_id'])
      .orderBy('kind')
      .execute()
    assert.deepEqual(
      kinds.filter(({ kind }) => kind !== 'follow'),
      [
        { kind: 'list_member', from_id: '2', to_id: '6' },
        { kind: 'repost', from_id: '3', to_id: '5' },
      ],
    )
  },
)

onSqliteState(
  'a broken line is reported; what precedes it is stored, and nothing of its own',
  async (state) => {
    const text = `${JSON.stringify(CLASSIC)}\n{"data":[{"id":"21","text":"cut`
    await withFile(text, (path) =>
      assert.rejects(importPlace(state, path), {
        name: 'PermanentError',
        message: `${path}: line 2: the file ends within a value from line 2 on`,
      }),
    )
    const ids = await state.db.selectFrom('social_tweet').select('id').orderBy('id').execute()
    assert.deepEqual(ids, [{ id: '19' }, { id: '20' }])
  },
)

onSqliteState(
  'a tweet with an article imports the article, with its paragraphs and its cover',
  async (state) => {
    const article = {
      title: 'Tides',
      preview_text: 'Twice',
      plain_text: 'Twice *a* day.\nOr once.',
      media_key: '3_5',
    }
    const page = {
      data: [
        { id: '20', text: 'Read this', author_id: '7', created_at: '2026-01-02T03:04:05.000Z', article },
        { id: '21', text: 'And this', article: { title: 'More', preview_text: 'A preview' } },
      ],
      includes: {
        media: [{ media_key: '3_5', type: 'photo', url: 'https://example.com/5.jpg', width: 9, height: 6 }],
      },
    }
    const { counts, issues } = await withFile(JSON.stringify(page), (path) => importPlace(state, path))
    assert.deepEqual([counts.tweets, counts.articles, counts.skipped], [2, 1, 1])
    assert.deepEqual(issues, ['1: article: no text (it is a preview)'])
    const { articleOf } = socialPorts(state).provider.operations
    const found = await articleOf?.('20', asking)
    assert.ok(found && 'data' in found)
    assert.deepEqual(found.data, {
      id: '20',
      title: 'Tides',
      preview_text: 'Twice',
      author_id: '7',
      cover_image: { url: 'https://example.com/5.jpg', width: 9, height: 6 },
      published_at: '2026-01-02T03:04:05.000Z',
      article_content: 'Twice \\*a\\* day.\n\nOr once.',
      content_format: 'plain',
    })
    assert.deepEqual(await articleOf?.('21', asking), { kind: 'no_article' })
  },
)
