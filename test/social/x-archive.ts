import type { ZippedFile } from './write-zip.ts'

/** A data file in X's format. */
export function archivePart(name: string, global: string, values: readonly unknown[]): ZippedFile {
  return { name: `data/${name}.js`, content: `window.YTD.${global} = ${JSON.stringify(values, null, 2)}` }
}

/** The manifest of account 7; `types` maps a data type to its files. */
export function archiveManifest(types: Readonly<Record<string, readonly string[]>>): ZippedFile {
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
/** Like real archives: counts and offsets are strings, entities are those of the API 1.1. */
const TWEETS = [
  {
    tweet: {
      id_str: '100',
      id: '100',
      created_at: 'Wed Feb 10 18:00:00 +0000 2021',
      lang: 'en',
      full_text: 'Hi @other #bread https://t.co/a https://t.co/p',
      source: '<a href="https://mobile.twitter.com" rel="nofollow">Twitter Web App</a>',
      favorite_count: '5',
      retweet_count: '2',
      favorited: false,
      truncated: false,
      display_text_range: ['0', '31'],
      entities: {
        hashtags: [{ text: 'bread', indices: ['10', '16'] }],
        symbols: [],
        user_mentions: [{ name: 'Other', screen_name: 'other', indices: ['3', '9'], id_str: '8', id: '8' }],
        urls: [
          {
            url: 'https://t.co/a',
            expanded_url: 'https://example.com/a',
            display_url: 'example.com/a',
            indices: ['17', '31'],
          },
        ],
      },
      extended_entities: {
        media: [
          {
            id_str: '55',
            type: 'photo',
            url: 'https://t.co/p',
            indices: ['32', '46'],
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
      id_str: '101',
      created_at: 'Wed Feb 10 18:00:01 +0000 2021',
      in_reply_to_status_id_str: '90',
      in_reply_to_user_id_str: '8',
      in_reply_to_screen_name: 'other',
      full_text: `${BEGINNING}… https://t.co/n`,
      favorite_count: '0',
      retweet_count: '0',
    },
  },
  {
    tweet: {
      id_str: '102',
      created_at: 'Wed Feb 10 18:00:02 +0000 2021',
      full_text: 'RT @other: their words',
      favorite_count: '0',
      retweet_count: '9',
    },
  },
  { tweet: { id_str: '103', full_text: 'without a time' } },
]
/** Text of the note that continues tweet 101. */
export const LONG_TEXT = `${BEGINNING.replace('&amp;', '&')} into a tweet, and here is the rest.`
const NOTE = {
  noteTweet: {
    noteTweetId: '1',
    createdAt: '2021-02-10T18:00:01.000Z',
    core: { text: LONG_TEXT, urls: [], mentions: [], hashtags: [] },
  },
}

/** Files of a complete archive of account 7. */
export const ARCHIVE_FILES: readonly ZippedFile[] = [
  archiveManifest({
    account: ['account'],
    profile: ['profile'],
    tweets: ['tweets', 'tweets-part1'],
    noteTweet: ['note-tweet'],
    communityTweet: ['community-tweet'],
    follower: ['follower'],
    following: ['following'],
    listsMember: ['lists-member'],
    directMessages: ['direct-messages'],
    ipAudit: ['ip-audit'],
    like: ['like'],
    phoneNumber: [],
  }),
  archivePart('account', 'account.part0', [
    {
      account: {
        email: 'secret@example.com',
        createdAt: '2010-01-02T03:04:05.000Z',
        accountId: '7',
        username: 'seven',
      },
    },
  ]),
  archivePart('profile', 'profile.part0', [
    {
      profile: {
        description: { bio: 'Bakes', website: '', location: 'Here' },
        avatarMediaUrl: 'https://example.com/a.jpg',
      },
    },
  ]),
  archivePart('tweets', 'tweets.part0', TWEETS),
  archivePart('tweets-part1', 'tweets.part1', [
    {
      tweet: { id_str: '104', full_text: 'of the second part', created_at: 'Wed Feb 10 18:00:04 +0000 2021' },
    },
  ]),
  archivePart('note-tweet', 'note_tweet.part0', [NOTE]),
  archivePart('community-tweet', 'community_tweet.part0', [
    {
      tweet: {
        id_str: '105',
        full_text: 'to a community',
        created_at: 'Wed Feb 10 18:00:05 +0000 2021',
        community_id_str: '70',
      },
    },
  ]),
  archivePart('follower', 'follower.part0', [
    { follower: { accountId: '8', userLink: 'https://twitter.com/intent/user?user_id=8' } },
  ]),
  archivePart('following', 'following.part0', [{ following: { accountId: '9', userLink: 'x' } }]),
  archivePart('lists-member', 'lists_member.part0', [
    { userListInfo: { url: 'https://twitter.com/other/lists/1234567890' } },
    { userListInfo: { url: 'https://twitter.com/other/lists/bakers' } },
  ]),
  // If they were read, their format would be reported.
  ...['direct-messages', 'ip-audit', 'like'].map((name) => ({ name: `data/${name}.js`, content: '{{{' })),
  { name: 'data/tweets_media/100-p.jpg', content: 'a picture' },
]
