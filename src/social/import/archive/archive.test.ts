import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importPlace, withFile } from '../../../../test/social/import-social.ts'
import { socialPorts } from '../../../../test/social/open-social.ts'
import { writeZip, type ZippedFile } from '../../../../test/social/write-zip.ts'
import { onEveryState, onSqliteState } from '../../../../test/state/every-state.ts'

const asking = { signal: new AbortController().signal }
const page = { limit: 20, position: null }

/** A part as X writes it. */
function part(name: string, global: string, values: readonly unknown[]): ZippedFile {
  return { name: `data/${name}.js`, content: `window.YTD.${global} = ${JSON.stringify(values, null, 2)}` }
}

function manifest(types: Readonly<Record<string, readonly string[]>>): ZippedFile {
  const dataTypes = Object.entries(types).map(([type, files]) => [
    type,
    { files: files.map((name) => ({ fileName: `data/${name}.js`, globalName: 'YTD', count: '1' })) },
  ])
  const config = {
    userInfo: { accountId: '7', userName: 'seven', displayName: 'Seven' },
    archiveInfo: { sizeBytes: '1', generationDate: '2026-01-01T00:00:00.000Z', isPartialArchive: false },
    dataTypes: Object.fromEntries(dataTypes),
  }
  return { name: 'data/manifest.js', content: `window.__THAR_CONFIG = ${JSON.stringify(config)}` }
}

const BEGINNING = 'A long text that goes on &amp; on, well beyond what fits'
/** In the form of real archives: counts and offsets are texts, entities are those of the API 1.1. */
const TWEETS = [
  {
    tweet: {
      ...{ id_str: '100', id: '100', created_at: 'Wed Feb 10 18:00:00 +0000 2021', lang: 'en' },
      full_text: 'Hi @other #bread https://t.co/a https://t.co/p',
      source: '<a href="https://mobile.twitter.com" rel="nofollow">Twitter Web App</a>',
      ...{ favorite_count: '5', retweet_count: '2', favorited: false, truncated: false },
      display_text_range: ['0', '31'],
      entities: {
        hashtags: [{ text: 'bread', indices: ['10', '16'] }],
        symbols: [],
        user_mentions: [{ name: 'Other', screen_name: 'other', indices: ['3', '9'], id_str: '8', id: '8' }],
        urls: [
          {
            ...{ url: 'https://t.co/a', expanded_url: 'https://example.com/a', display_url: 'example.com/a' },
            indices: ['17', '31'],
          },
        ],
      },
      extended_entities: {
        media: [
          {
            ...{ id_str: '55', type: 'photo', url: 'https://t.co/p', indices: ['32', '46'] },
            media_url_https: 'https://pbs.twimg.com/media/p.jpg',
            sizes: { large: { w: '1200', h: '800', resize: 'fit' } },
          },
        ],
      },
      edit_info: { initial: { editTweetIds: ['100'], editableUntil: '2021-02-10T19:00:00.000Z' } },
    },
  },
  {
    tweet: {
      ...{ id_str: '101', created_at: 'Wed Feb 10 18:00:01 +0000 2021' },
      ...{ in_reply_to_status_id_str: '90', in_reply_to_user_id_str: '8', in_reply_to_screen_name: 'other' },
      full_text: `${BEGINNING}… https://t.co/n`,
      ...{ favorite_count: '0', retweet_count: '0' },
    },
  },
  {
    tweet: {
      ...{ id_str: '102', created_at: 'Wed Feb 10 18:00:02 +0000 2021', full_text: 'RT @other: their words' },
      ...{ favorite_count: '0', retweet_count: '9' },
    },
  },
  { tweet: { id_str: '103', full_text: 'without a time' } },
]
const LONG = `${BEGINNING.replace('&amp;', '&')} into a tweet, and here is the rest.`
const NOTE = {
  noteTweet: {
    noteTweetId: '1',
    createdAt: '2021-02-10T18:00:01.000Z',
    core: { text: LONG, urls: [], mentions: [], hashtags: [] },
  },
}

const FILES: readonly ZippedFile[] = [
  manifest({
    ...{
      account: ['account'],
      profile: ['profile'],
      tweets: ['tweets', 'tweets-part1'],
      noteTweet: ['note-tweet'],
    },
    ...{ communityTweet: ['community-tweet'], follower: ['follower'], following: ['following'] },
    ...{
      listsMember: ['lists-member'],
      directMessages: ['direct-messages'],
      ipAudit: ['ip-audit'],
      like: ['like'],
    },
    phoneNumber: [],
  }),
  part('account', 'account.part0', [
    {
      account: {
        email: 'secret@example.com',
        createdAt: '2010-01-02T03:04:05.000Z',
        accountId: '7',
        username: 'seven',
      },
    },
  ]),
  part('profile', 'profile.part0', [
    {
      profile: {
        description: { bio: 'Bakes', website: '', location: 'Here' },
        avatarMediaUrl: 'https://example.com/a.jpg',
      },
    },
  ]),
  part('tweets', 'tweets.part0', TWEETS),
  part('tweets-part1', 'tweets.part1', [
    {
      tweet: { id_str: '104', full_text: 'of the second part', created_at: 'Wed Feb 10 18:00:04 +0000 2021' },
    },
  ]),
  part('note-tweet', 'note_tweet.part0', [NOTE]),
  part('community-tweet', 'community_tweet.part0', [
    {
      tweet: {
        ...{ id_str: '105', full_text: 'to a community', created_at: 'Wed Feb 10 18:00:05 +0000 2021' },
        community_id_str: '70',
      },
    },
  ]),
  part('follower', 'follower.part0', [
    { follower: { accountId: '8', userLink: 'https://twitter.com/intent/user?user_id=8' } },
  ]),
  part('following', 'following.part0', [{ following: { accountId: '9', userLink: 'x' } }]),
  part('lists-member', 'lists_member.part0', [
    { userListInfo: { url: 'https://twitter.com/other/lists/1234567890' } },
    { userListInfo: { url: 'https://twitter.com/other/lists/bakers' } },
  ]),
  // Were they read, their form would be a fault.
  ...['direct-messages', 'ip-audit', 'like'].map((name) => ({ name: `data/${name}.js`, content: '{{{' })),
  { name: 'data/tweets_media/100-p.jpg', content: 'a picture' },
]

onEveryState(
  'an archive gives its tweets and their owner, and its private files are never read',
  async (state) => {
    const found = await withFile(writeZip(FILES), (path) => importPlace(state, path))
    assert.deepEqual(found.counts, {
      ...{ users: 1, tweets: 5, media: 1, lists: 0, communities: 0, articles: 0, relations: 3, skipped: 2 },
    })
    assert.deepEqual(found.leftOut, ['directMessages', 'ipAudit', 'like'])
    assert.match(found.faults[0] ?? '', /^data\/tweets\.js:\d+: tweet: created_at: /)
    assert.equal(found.faults[1], 'data/lists-member.js:7: a list whose address tells no id')
    const { operations } = socialPorts(state).provider
    assert.deepEqual(await operations.userByUsername?.('seven', asking), {
      ...{ id: '7', name: 'Seven', username: 'seven', created_at: '2010-01-02T03:04:05.000Z' },
      ...{ description: 'Bakes', location: 'Here', profile_image_url: 'https://example.com/a.jpg' },
    })
    const tweetOf = async (id: string) => (await operations.tweetById?.(id, asking))?.data
    assert.deepEqual(await tweetOf('100'), {
      ...{ id: '100', text: 'Hi @other #bread https://t.co/a https://t.co/p', author_id: '7' },
      ...{ created_at: '2021-02-10T18:00:00.000Z', conversation_id: '100', lang: 'en' },
      public_metrics: { retweet_count: 2, like_count: 5 },
      source: 'Twitter Web App',
      entities: {
        hashtags: [{ start: 10, end: 16, tag: 'bread' }],
        mentions: [{ start: 3, end: 9, username: 'other', id: '8' }],
        urls: [
          {
            ...{ start: 17, end: 31, url: 'https://t.co/a' },
            ...{ expanded_url: 'https://example.com/a', display_url: 'example.com/a' },
          },
        ],
      },
      attachments: { media_keys: ['3_55'] },
      display_text_range: [0, 31],
      edit_history_tweet_ids: ['100'],
      url: 'https://x.com/i/status/100',
    })
    const reply = await tweetOf('101')
    assert.deepEqual(reply?.referenced_tweets, [{ type: 'replied_to', id: '90' }])
    // The root of that conversation is not in the archive.
    assert.equal(reply?.conversation_id, undefined)
    assert.deepEqual(reply?.note_tweet, { text: LONG })
    const repost = await tweetOf('102')
    assert.equal(repost?.text, 'RT @other: their words')
    assert.equal(repost?.referenced_tweets, undefined)
    assert.equal(repost?.public_metrics, undefined)
    assert.equal((await tweetOf('105'))?.community_id, '70')
    const timeline = await operations.tweetsOfUser?.('seven', page, asking)
    assert.deepEqual(
      timeline?.data.map(({ id }) => id),
      ['105', '104', '102', '101', '100'],
    )
    const relations = await state.db
      .selectFrom('social_relation')
      .select(['kind', 'from_id', 'to_id'])
      .orderBy('to_id')
      .execute()
    assert.deepEqual(relations, [
      { kind: 'list_member', from_id: '7', to_id: '1234567890' },
      { kind: 'follow', from_id: '8', to_id: '7' },
      { kind: 'follow', from_id: '7', to_id: '9' },
    ])
    const everything = JSON.stringify(await state.db.selectFrom('social_user').selectAll().execute())
    assert.doesNotMatch(everything, /secret@/)
  },
)

onSqliteState(
  'an unpacked archive is imported from its folder, one packed around a folder too',
  async (state) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-archive-'))
    try {
      for (const { name, content } of FILES) {
        mkdirSync(join(folder, name, '..'), { recursive: true })
        writeFileSync(join(folder, name), content)
      }
      assert.equal((await importPlace(state, folder)).counts.tweets, 5)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    const within = FILES.map((file) => ({ ...file, name: `twitter-2026/${file.name}` }))
    const found = await withFile(writeZip(within), (path) => importPlace(state, path))
    assert.equal(found.counts.tweets, 5)
  },
)

const refusals: readonly [what: string, files: readonly ZippedFile[], reason: RegExp][] = [
  ['no manifest', [part('tweets', 'tweets.part0', [])], /there is no data\/manifest\.js in it$/],
  [
    'a manifest that is a script',
    [{ name: 'data/manifest.js', content: 'alert(1)' }],
    /does not begin with window\.__THAR_CONFIG =$/,
  ],
  ['a part that is not there', [manifest({ tweets: ['tweets'] })], /there is no data\/tweets\.js in it$/],
  [
    'a part that is a script',
    [manifest({ tweets: ['tweets'] }), { name: 'data/tweets.js', content: 'process.exit(); [' }],
    /data\/tweets\.js: line 1: the file does not begin as a part of a data archive$/,
  ],
  [
    'a part that grows too much',
    [
      manifest({ tweets: ['tweets'] }),
      { name: 'data/tweets.js', content: `window.YTD.tweets.part0 = [${' '.repeat(3_000_000)}]` },
    ],
    /data\/tweets\.js: data\/tweets\.js grows more than 200 times when unpacked$/,
  ],
  [
    'a part that is larger than it says',
    [
      manifest({ tweets: ['tweets'] }),
      { name: 'data/tweets.js', content: 'window.YTD.tweets.part0 = [] ', declaredBytes: 5 },
    ],
    /not a zip file that can be read: too many bytes in the stream/,
  ],
  [
    'a name that leads out',
    [{ name: '../manifest.js', content: '' }],
    /not a zip file that can be read: invalid relative path/,
  ],
  [
    'a file that stands there twice',
    [manifest({ tweets: ['tweets'] }), part('tweets', 'a.b', []), part('tweets', 'a.b', [])],
    /the zip file has data\/tweets\.js twice$/,
  ],
]

onSqliteState(
  'an archive that is broken or hostile is refused, and nothing of it is stored',
  async (state) => {
    for (const [what, files, message] of refusals)
      await withFile(writeZip(files), (path) =>
        assert.rejects(importPlace(state, path), { name: 'PermanentError', message }, what),
      )
    await withFile(writeZip(FILES).subarray(0, 900), (path) =>
      assert.rejects(importPlace(state, path), { message: /^not a zip file that can be read/ }),
    )
    assert.deepEqual(await state.db.selectFrom('social_tweet').select('id').execute(), [])
  },
)

onSqliteState('a manifest that names a private file as tweets does not get it read', async (state) => {
  const files = [
    manifest({ tweets: ['direct-messages'] }),
    { name: 'data/direct-messages.js', content: 'window.YTD.direct_messages.part0 = [{"tweet":{}}]' },
  ]
  const { counts } = await withFile(writeZip(files), (path) => importPlace(state, path))
  assert.deepEqual([counts.tweets, counts.skipped], [0, 0])
})
