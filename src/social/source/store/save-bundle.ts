import type { Transaction } from 'kysely'
import type { State } from '../../../state/state.ts'
import type { Tables } from '../../../state/tables.ts'
import { article } from '../../model/article.ts'
import { community } from '../../model/community.ts'
import { list } from '../../model/list.ts'
import { media } from '../../model/media.ts'
import { tweet } from '../../model/tweet.ts'
import { user } from '../../model/user.ts'
import type { Relation, SocialBundle } from '../social-bundle.ts'
import { batches } from './batches.ts'
import { saveTweets } from './save-tweets.ts'
import { saveUsers } from './save-users.ts'

/** Places of relations within one millisecond; the product stays below 2^53 until the year 2109. */
const PLACES_PER_MS = 2048

/**
 * Stores objects, each in place of what was known under its id.
 * @throws ZodError when an object is not in the shape in which it would be answered; then nothing is stored.
 */
export async function saveBundle(state: State, given: Partial<SocialBundle>, fetchedAt: Date): Promise<void> {
  const fetched_at = fetchedAt.getTime()
  const users = inOrder((given.users ?? []).map((one) => user.parse(one)))
  const tweets = inOrder((given.tweets ?? []).map((one) => tweet.parse(one)))
  const objects = {
    social_list: toRows(given.lists, (one) => list.parse(one)),
    social_community: toRows(given.communities, (one) => community.parse(one)),
    social_article: toRows(given.articles, (one) => article.parse(one)),
    social_media: inOrder(
      (given.media ?? []).map((one) => ({ id: one.media_key, body: JSON.stringify(media.parse(one)) })),
    ),
  }
  await state.db.transaction().execute(async (transaction) => {
    await saveUsers(transaction, state.kind, users, fetched_at)
    await saveTweets(transaction, state.kind, tweets, fetched_at)
    for (const table of ['social_list', 'social_community', 'social_article', 'social_media'] as const)
      await saveObjects(transaction, table, objects[table], fetched_at)
    await saveRelations(transaction, given.relations ?? [], fetched_at)
  })
}

type ObjectRow = { readonly id: string; readonly body: string }

function toRows<Item extends { readonly id: string }>(
  items: readonly Item[] = [],
  parse: (item: Item) => Item,
): ObjectRow[] {
  return inOrder(items.map((item) => ({ id: item.id, body: JSON.stringify(parse(item)) })))
}

/** Several processes store overlapping objects at once; in one order they never wait for each other in a circle. */
function inOrder<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
}

async function saveObjects(
  transaction: Transaction<Tables>,
  table: 'social_list' | 'social_community' | 'social_article' | 'social_media',
  rows: readonly ObjectRow[],
  fetched_at: number,
): Promise<void> {
  // The last of several with one id counts.
  const distinct = [...new Map(rows.map((row) => [row.id, { ...row, fetched_at }])).values()]
  for (const batch of batches(distinct))
    await transaction
      .insertInto(table)
      .values(batch)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({
          body: eb.ref('excluded.body'),
          fetched_at: eb.ref('excluded.fetched_at'),
        })),
      )
      .execute()
}

/** Newer relations are higher; one that is known keeps its place. */
async function saveRelations(
  transaction: Transaction<Tables>,
  relations: readonly Relation[],
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
