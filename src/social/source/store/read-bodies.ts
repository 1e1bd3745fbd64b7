import type { State } from '../../../state/state.ts'

/** The tables of objects by id. */
export type Stored =
  | 'social_tweet'
  | 'social_user'
  | 'social_list'
  | 'social_community'
  | 'social_article'
  | 'social_media'

/** Objects by their ids, in the requested order, without missing ones. */
export async function readBodies<Item>(state: State, table: Stored, ids: readonly string[]): Promise<Item[]> {
  const [first] = ids
  if (first === undefined) return []
  // One statement per power of two, so that few statements serve lists of all lengths.
  const places = 2 ** Math.ceil(Math.log2(ids.length))
  const read = state.prepare(`${table} by ${places} ids`, (db) =>
    db.selectFrom(table).select(['id', 'body']).where('id', 'in', new Array<string>(places).fill('')),
  )
  const rows = await read(
    places === ids.length ? ids : [...ids, ...new Array(places - ids.length).fill(first)],
  )
  // saveBundle validated every object before it was stored.
  if (places === 1) return rows.map(({ body }) => JSON.parse(body) as Item)
  const byId = new Map(rows.map(({ id, body }) => [id, body]))
  return ids.flatMap((id) => {
    const body = byId.get(id)
    return body === undefined ? [] : [JSON.parse(body) as Item]
  })
}

/** Whether an object with that id is stored. */
export async function isStored(state: State, table: Stored, id: string): Promise<boolean> {
  const read = state.prepare(`${table} is stored`, (db) =>
    db.selectFrom(table).select('id').where('id', '=', ''),
  )
  return (await read([id])).length > 0
}
