import type { Transaction } from 'kysely'
import type { State } from '../../../state/state.ts'
import type { SocialTweetTable } from '../../../state/tables/social.ts'
import type { Tables } from '../../../state/tables.ts'
import { referenceOf, type Tweet } from '../../model/tweet.ts'
import { batches } from './batches.ts'
import { findPlaces } from './tweet-seq.ts'
import { toVector } from './words/postgres-words.ts'
import { savePostgresTweets } from './words/save-postgres-tweets.ts'
import { saveWords } from './words/save-words.ts'
import { wordsOf } from './words/tweet-words.ts'

/** Stores tweets with their words, each in place of what was known under its id; it keeps its place in time. */
export async function saveTweets(
  transaction: Transaction<Tables>,
  kind: State['kind'],
  tweets: readonly Tweet[],
  fetched_at: number,
): Promise<void> {
  // The last of several with one id counts.
  const distinct = [...new Map(tweets.map((one) => [one.id, one])).values()]
  for (const batch of batches(distinct)) {
    const places = await findPlaces(transaction, batch, fetched_at)
    const placed = batch.map((tweet, at) => ({ tweet, ...(places[at] ?? { seq: 0, storedBody: null }) }))
    const rows = placed.map(({ tweet, seq }) => toRow(tweet, seq, fetched_at))
    if (kind === 'postgres') {
      const words = placed.map(({ tweet, seq }) => toVector(wordsOf(tweet), seq))
      await savePostgresTweets(
        transaction,
        rows.map((row, at) => ({ ...row, words: words[at] ?? '' })),
      )
    } else {
      await saveSqliteTweets(transaction, rows)
      await saveWords(transaction, placed.filter(isFoundOtherwise).map(toPlaced))
    }
  }
}

async function saveSqliteTweets(transaction: Transaction<Tables>, rows: readonly SocialTweetTable[]) {
  await transaction
    .insertInto('social_tweet')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        author_id: eb.ref('excluded.author_id'),
        conversation_id: eb.ref('excluded.conversation_id'),
        in_reply_to_id: eb.ref('excluded.in_reply_to_id'),
        quoted_id: eb.ref('excluded.quoted_id'),
        community_id: eb.ref('excluded.community_id'),
        likes: eb.ref('excluded.likes'),
        reposts: eb.ref('excluded.reposts'),
        replies: eb.ref('excluded.replies'),
        body: eb.ref('excluded.body'),
        fetched_at: eb.ref('excluded.fetched_at'),
      })),
    )
    .execute()
}

type Placed = { readonly tweet: Tweet; readonly seq: number; readonly storedBody: string | null }

/** Whether a tweet is new, or found by other words than before; most that come again have only other counts. */
function isFoundOtherwise({ tweet, storedBody }: Placed): boolean {
  if (storedBody === null) return true
  if (storedBody === JSON.stringify(tweet)) return false
  // What is stored was parsed before.
  const before = wordsOf(JSON.parse(storedBody) as Tweet)
  return JSON.stringify(before) !== JSON.stringify(wordsOf(tweet))
}

function toPlaced({ tweet, seq, storedBody }: Placed) {
  return { seq, words: wordsOf(tweet), isKnown: storedBody !== null }
}

function toRow(one: Tweet, seq: number, fetched_at: number): SocialTweetTable {
  const { like_count, retweet_count, reply_count } = one.public_metrics ?? {}
  return {
    seq,
    id: one.id,
    author_id: one.author_id ?? null,
    conversation_id: one.conversation_id ?? null,
    in_reply_to_id: referenceOf(one, 'replied_to') ?? null,
    quoted_id: referenceOf(one, 'quoted') ?? null,
    community_id: one.community_id ?? null,
    likes: like_count ?? null,
    reposts: retweet_count ?? null,
    replies: reply_count ?? null,
    body: JSON.stringify(one),
    fetched_at,
  }
}
