import type { Transaction } from 'kysely'
import { article, community, list, media, tweet, user } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'
import type { SocialBundle } from '../provider.ts'
import { batches, reservePlaces, saveRelations } from './save-relations.ts'
import { prepareTweets, saveTweets } from './save-tweets.ts'
import { saveUsers } from './save-users.ts'

/**
 * Inserts or replaces objects by their ids.
 * @throws ZodError if an object is not valid as an answer; then nothing is stored.
 */
export async function saveBundle(state: State, given: Partial<SocialBundle>, fetchedAt: Date): Promise<void> {
  const parsed = {
    users: (given.users ?? []).map((one) => user.parse(one)),
    tweets: (given.tweets ?? []).map((one) => tweet.parse(one)),
    lists: (given.lists ?? []).map((one) => list.parse(one)),
    communities: (given.communities ?? []).map((one) => community.parse(one)),
    articles: (given.articles ?? []).map((one) => article.parse(one)),
    media: (given.media ?? []).map((one) => media.parse(one)),
    relations: given.relations ?? [],
  }
  const placeRelations = (transaction: Transaction<Tables>) =>
    reservePlaces(transaction, { count: parsed.relations.length, fetchedAt })
  await saveParsed(state, parsed, { fetchedAt, placeRelations })
}

type Saving = {
  readonly fetchedAt: Date
  /** Returns the position of the first relation; the others have lower ones. Called only if there are relations. */
  readonly placeRelations: (transaction: Transaction<Tables>) => Promise<number>
  /** Runs in the same transaction. */
  readonly alsoSave?: (transaction: Transaction<Tables>) => Promise<void>
}

/** The same for objects that their models have already parsed. */
export async function saveParsed(state: State, bundle: SocialBundle, saving: Saving): Promise<void> {
  const fetched_at = saving.fetchedAt.getTime()
  const tweets = prepareTweets(inOrder(bundle.tweets))
  const objects = {
    social_list: inOrder(bundle.lists.map(toRow)),
    social_community: inOrder(bundle.communities.map(toRow)),
    social_article: inOrder(bundle.articles.map(toRow)),
    social_media: inOrder(bundle.media.map((one) => ({ id: one.media_key, body: JSON.stringify(one) }))),
  }
  await state.db.transaction().execute(async (transaction) => {
    await saveUsers(transaction, state.kind, inOrder(bundle.users), fetched_at)
    await saveTweets(transaction, state.kind, tweets, fetched_at)
    for (const table of ['social_list', 'social_community', 'social_article', 'social_media'] as const)
      await saveObjects(transaction, table, objects[table], fetched_at)
    if (bundle.relations.length > 0)
      await saveRelations(transaction, bundle.relations, await saving.placeRelations(transaction))
    await saving.alsoSave?.(transaction)
  })
}

type ObjectRow = { readonly id: string; readonly body: string }

function toRow(item: { readonly id: string }): ObjectRow {
  return { id: item.id, body: JSON.stringify(item) }
}

/** Several processes may store overlapping objects concurrently; a fixed order prevents deadlocks. */
function inOrder<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
}

async function saveObjects(
  transaction: Transaction<Tables>,
  table: 'social_list' | 'social_community' | 'social_article' | 'social_media',
  rows: readonly ObjectRow[],
  fetched_at: number,
): Promise<void> {
  // The last of several with one id wins.
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
