import type { State } from '../../../state/state.ts'

/** The tables of objects by their ids. */
export type Stored =
  | 'social_tweet'
  | 'social_user'
  | 'social_list'
  | 'social_community'
  | 'social_article'
  | 'social_media'

/** Objects by their ids, in the order asked for, without those that are not stored. */
export async function readBodies<Item>(state: State, table: Stored, ids: readonly string[]): Promise<Item[]> {
  if (ids.length === 0) return []
  const rows = await state.db.selectFrom(table).select(['id', 'body']).where('id', 'in', ids).execute()
  const byId = new Map(rows.map(({ id, body }) => [id, body]))
  return ids.flatMap((id) => {
    const body = byId.get(id)
    // saveBundle has parsed every object before it was stored.
    return body === undefined ? [] : [JSON.parse(body) as Item]
  })
}

/** Whether an object with that id is stored. */
export async function isStored(state: State, table: Stored, id: string): Promise<boolean> {
  const row = await state.db.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}
