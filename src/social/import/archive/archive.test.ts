import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importPlace, withFile } from '../../../../test/social/import-social.ts'
import { socialPorts } from '../../../../test/social/open-social.ts'
import { writeZip, type ZippedFile } from '../../../../test/social/write-zip.ts'
import { ARCHIVE_FILES, archiveManifest, archivePart, LONG_TEXT } from '../../../../test/social/x-archive.ts'
import { onEveryState, onSqliteState } from '../../../../test/state/every-state.ts'

const asking = { signal: new AbortController().signal }
const page = { limit: 20, position: null }

onEveryState(
  'an archive yields its tweets and their owner, and its private files are never read',
  async (state) => {
    const found = await withFile(writeZip(ARCHIVE_FILES), (path) => importPlace(state, path))
    assert.deepEqual(found.counts, {
      users: 1,
      tweets: 5,
      media: 1,
      lists: 0,
      communities: 0,
      articles: 0,
      relations: 3,
      skipped: 2,
    })
    assert.deepEqual(found.skippedTypes, ['directMessages', 'ipAudit', 'like'])
    assert.match(found.faults[0] ?? '', /^data\/tweets\.js:\d+: tweet: created_at: /)
    assert.equal(found.faults[1], 'data/lists-member.js:7: a list without an id in its URL')
    const { operations } = socialPorts(state).provider
    assert.deepEqual(await operations.userByUsername?.('seven', asking), {
      id: '7',
      name: 'Seven',
      username: 'seven',
      created_at: '2010-01-02T03:04:05.000Z',
      description: 'Bakes',
      location: 'Here',
      profile_image_url: 'https://example.com/a.jpg',
    })
    const tweetOf = async (id: string) => (await operations.tweetById?.(id, asking))?.data
    assert.deepEqual(await tweetOf('100'), {
      id: '100',
      text: 'Hi @other #bread https://t.co/a https://t.co/p',
      author_id: '7',
      created_at: '2021-02-10T18:00:00.000Z',
      conversation_id: '100',
      lang: 'en',
      public_metrics: { retweet_count: 2, like_count: 5 },
      source: 'Twitter Web App',
      entities: {
        hashtags: [{ start: 10, end: 16, tag: 'bread' }],
        mentions: [{ start: 3, end: 9, username: 'other', id: '8' }],
        urls: [
          {
            start: 17,
            end: 31,
            url: 'https://t.co/a',
            expanded_url: 'https://example.com/a',
            display_url: 'example.com/a',
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
    assert.deepEqual(reply?.note_tweet, { text: LONG_TEXT })
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
  'an unpacked archive is imported from its folder, and so is one packed inside a folder',
  async (state) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollbook-archive-'))
    try {
      for (const { name, content } of ARCHIVE_FILES) {
        mkdirSync(join(folder, name, '..'), { recursive: true })
        writeFileSync(join(folder, name), content)
      }
      assert.equal((await importPlace(state, folder)).counts.tweets, 5)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    const within = ARCHIVE_FILES.map((file) => ({ ...file, name: `twitter-2026/${file.name}` }))
    const found = await withFile(writeZip(within), (path) => importPlace(state, path))
    assert.equal(found.counts.tweets, 5)
  },
)

const refusals: readonly [what: string, files: readonly ZippedFile[], reason: RegExp][] = [
  ['no manifest', [archivePart('tweets', 'tweets.part0', [])], /data\/manifest\.js is missing$/],
  [
    'a manifest that is a script',
    [{ name: 'data/manifest.js', content: 'alert(1)' }],
    /does not begin with window\.__THAR_CONFIG =$/,
  ],
  ['a missing part', [archiveManifest({ tweets: ['tweets'] })], /data\/tweets\.js is missing$/],
  [
    'a part that is a script',
    [archiveManifest({ tweets: ['tweets'] }), { name: 'data/tweets.js', content: 'process.exit(); [' }],
    /data\/tweets\.js: line 1: the file does not begin like a part of a data archive$/,
  ],
  [
    'a part with too high a compression ratio',
    [
      archiveManifest({ tweets: ['tweets'] }),
      { name: 'data/tweets.js', content: `window.YTD.tweets.part0 = [${' '.repeat(3_000_000)}]` },
    ],
    /data\/tweets\.js: data\/tweets\.js grows more than 200 times when unpacked$/,
  ],
  [
    'a part larger than declared',
    [
      archiveManifest({ tweets: ['tweets'] }),
      { name: 'data/tweets.js', content: 'window.YTD.tweets.part0 = [] ', declaredBytes: 5 },
    ],
    /not a readable zip file: too many bytes in the stream/,
  ],
  [
    'a name that leads out of the folder',
    [{ name: '../manifest.js', content: '' }],
    /not a readable zip file: invalid relative path/,
  ],
  [
    'a duplicate file',
    [
      archiveManifest({ tweets: ['tweets'] }),
      archivePart('tweets', 'a.b', []),
      archivePart('tweets', 'a.b', []),
    ],
    /the zip file contains data\/tweets\.js twice$/,
  ],
]

onSqliteState('a broken or hostile archive is rejected, and nothing of it is stored', async (state) => {
  for (const [what, files, message] of refusals)
    await withFile(writeZip(files), (path) =>
      assert.rejects(importPlace(state, path), { name: 'PermanentError', message }, what),
    )
  await withFile(writeZip(ARCHIVE_FILES).subarray(0, 900), (path) =>
    assert.rejects(importPlace(state, path), { message: /^not a readable zip file/ }),
  )
  assert.deepEqual(await state.db.selectFrom('social_tweet').select('id').execute(), [])
})

onSqliteState('a manifest cannot cause a private file to be read by listing it as tweets', async (state) => {
  const files = [
    archiveManifest({ tweets: ['direct-messages'] }),
    { name: 'data/direct-messages.js', content: 'window.YTD.direct_messages.part0 = [{"tweet":{}}]' },
  ]
  const { counts } = await withFile(writeZip(files), (path) => importPlace(state, path))
  assert.deepEqual([counts.tweets, counts.skipped], [0, 0])
})
