import type { Includes, Media, SocialUser, Tweet } from '../../model.ts'
import type { State } from '../../state/state.ts'

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

/** The stored user of that name (case-insensitive); null if there is none. */
export async function findUser(state: State, username: string): Promise<SocialUser | null> {
  // No username contains NUL, and PostgreSQL rejects text that does.
  if (username.includes('\0')) return null
  const read = state.prepare('social_user by username', (db) =>
    db.selectFrom('social_user').select('body').where('username_key', '=', ''),
  )
  const [found] = await read([username.toLowerCase()])
  // saveBundle validated every user before it was stored.
  return found ? (JSON.parse(found.body) as SocialUser) : null
}

/** The stored authors, referenced tweets with their authors, and media of tweets, as the X API v2 expands them. */
export async function findIncludes(state: State, tweets: readonly Tweet[]): Promise<Includes> {
  const own = new Set(tweets.map(({ id }) => id))
  const referenced = tweets.flatMap(({ referenced_tweets = [] }) => referenced_tweets.map(({ id }) => id))
  const others = await readBodies<Tweet>(
    state,
    'social_tweet',
    unique(referenced).filter((id) => !own.has(id)),
  )
  const all = [...tweets, ...others]
  const people = all.flatMap(({ author_id, in_reply_to_user_id }) => [author_id, in_reply_to_user_id])
  const users = await readBodies<SocialUser>(state, 'social_user', unique(people))
  const keys = all.flatMap(({ attachments }) => attachments?.media_keys ?? [])
  const media = await readBodies<Media>(state, 'social_media', unique(keys))
  return { users, tweets: others, media }
}

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))]
}
