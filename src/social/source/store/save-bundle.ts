import type { Transaction } from 'kysely'
import type { State } from '../../../state/state.ts'
import type { SocialTweetTable } from '../../../state/tables/social.ts'
import type { Tables } from '../../../state/tables.ts'
import { article } from '../../model/article.ts'
import { community } from '../../model/community.ts'
import { list } from '../../model/list.ts'
import { media } from '../../model/media.ts'
import { referenceOf, type Tweet, tweet } from '../../model/tweet.ts'
import { user } from '../../model/user.ts'
import type { SocialBundle } from '../social-bundle.ts'
import { findFreeSeqs } from './tweet-seq.ts'

/** Rows of one statement, so that no statement has more parameters than both databases take. */
const ROWS_AT_ONCE = 200

/**
 * Stores objects, each in place of what was known under its id; a tweet keeps its place in time. A name belongs
 * to who had it last, so whoever was stored with the same name before is forgotten.
 * @throws ZodError when an object is not in the shape in which it would be answered; then nothing is stored.
 */
export async function saveBundle(state: State, given: Partial<SocialBundle>, fetchedAt: Date): Promise<void> {
  const fetched_at = fetchedAt.getTime()
  const users = (given.users ?? []).map((one) => user.parse(one))
  const tweets = (given.tweets ?? []).map((one) => tweet.parse(one))
  const objects = {
    social_list: (given.lists ?? []).map((one) => list.parse(one)),
    social_community: (given.communities ?? []).map((one) => community.parse(one)),
    social_article: (given.articles ?? []).map((one) => article.parse(one)),
    social_media: (given.media ?? []).map((one) => ({ ...media.parse(one), id: one.media_key })),
  }
  await state.db.transaction().execute(async (transaction) => {
    await saveUsers(transaction, users, fetched_at)
    await saveTweets(transaction, tweets, fetched_at)
    for (const table of ['social_list', 'social_community', 'social_article', 'social_media'] as const)
      for (const rows of batches(objects[table].map((one) => toRow(one, table, fetched_at))))
        await transaction
          .insertInto(table)
          .values(rows)
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((eb) => ({
              body: eb.ref('excluded.body'),
              fetched_at: eb.ref('excluded.fetched_at'),
            })),
          )
          .execute()
    await saveRelations(transaction, given.relations ?? [], fetched_at)
  })
}

async function saveUsers(
  transaction: Transaction<Tables>,
  users: readonly { readonly id: string; readonly username: string }[],
  fetched_at: number,
): Promise<void> {
  for (const one of users) {
    const row = {
      id: one.id,
      username_key: one.username.toLowerCase(),
      body: JSON.stringify(one),
      fetched_at,
    }
    const namesakes = transaction.deleteFrom('social_user').where('username_key', '=', row.username_key)
    await namesakes.where('id', '<>', row.id).execute()
    await transaction
      .insertInto('social_user')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...row }))
      .execute()
  }
}

async function saveTweets(
  transaction: Transaction<Tables>,
  tweets: readonly Tweet[],
  fetched_at: number,
): Promise<void> {
  // The last of several with one id counts.
  const distinct = [...new Map(tweets.map((one) => [one.id, one])).values()]
  for (const batch of batches(distinct)) {
    const seqs = await findFreeSeqs(transaction, batch, fetched_at)
    await transaction
      .insertInto('social_tweet')
      .values(batch.map((one, at) => toTweetRow(one, seqs[at] ?? 0, fetched_at)))
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
}

function toTweetRow(one: Tweet, seq: number, fetched_at: number): SocialTweetTable {
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

/** Newer relations are higher; one that is known keeps its place. */
async function saveRelations(
  transaction: Transaction<Tables>,
  relations: SocialBundle['relations'],
  fetched_at: number,
): Promise<void> {
  const rows = relations.map(({ kind, from, to }, at) => ({
    ...{ kind, from_id: from, to_id: to },
    pos: fetched_at * PLACES_PER_MS - at,
  }))
  for (const batch of batches(rows))
    await transaction
      .insertInto('social_relation')
      .values(batch)
      .onConflict((conflict) => conflict.columns(['kind', 'to_id', 'from_id']).doNothing())
      .execute()
}

/** Keeps places below 2^53 until the year 2109. */
const PLACES_PER_MS = 2048

function toRow(one: { readonly id: string }, table: string, fetched_at: number) {
  if (table !== 'social_media') return { id: one.id, body: JSON.stringify(one), fetched_at }
  const { id, ...body } = one
  return { id, body: JSON.stringify(body), fetched_at }
}

function batches<Row>(rows: readonly Row[]): Row[][] {
  const starts = Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, at) => at * ROWS_AT_ONCE)
  return starts.map((start) => rows.slice(start, start + ROWS_AT_ONCE))
}
