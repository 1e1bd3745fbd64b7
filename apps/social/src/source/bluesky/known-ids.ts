import { createHash } from 'node:crypto'
import type { State } from '../../state/state.ts'
import { batches } from '../store/save-relations.ts'
import { type AtKind, kindOf, parseAtUri } from './at-uri.ts'
import { tidToNumber } from './tid.ts'

/** Returns the id of a DID or record URI. */
export type IdOf = (uri: string) => string

/** Maps the DIDs and record URIs of Bluesky's users, posts and lists to ids. */
export type KnownIds = {
  /**
   * Returns the result of `build` with the ids that it requests; new ids are assigned and stored first.
   * `build` is called twice, the first time with placeholder ids, and must request the same ids both times.
   */
  readonly give: <Made>(build: (idOf: IdOf) => Made) => Promise<Made>
  /** The URIs that ids of that kind are assigned to; unassigned ids are absent. */
  readonly find: (kind: AtKind, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The same for one id. */
  readonly findOne: (kind: AtKind, id: string) => Promise<string | null>
}

/** An id is taken with a probability of 1 in 2^63; then the next one is used. */
const MAX_TRIES = 4

/**
 * Ids that all processes on this store share. A post has the number of its record key, which orders posts by
 * time; users and lists have the first 63 bits of the SHA-256 of their URIs. Anyone can write a post with the
 * key of another post: the id stays with the post seen first, and the later one gets the hash of its URI.
 */
export function createKnownIds(state: State): KnownIds {
  return {
    async give(build) {
      const requested = new Set<string>()
      build((uri) => {
        requested.add(uri)
        return '0'
      })
      const ids = await giveAll([...requested])
      return build((uri) => {
        const id = ids.get(uri)
        if (id === undefined) throw new Error(`build did not request the id of ${uri} in its first call`)
        return id
      })
    },
    find,
    findOne: async (kind, id) => (await find(kind, [id])).get(id) ?? null,
  }

  async function find(kind: AtKind, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map()
    const rows = await state.db
      .selectFrom('social_known_uri')
      .select(['id', 'uri'])
      .where('kind', '=', kind)
      .where('id', 'in', [...ids])
      .execute()
    return new Map(rows.map(({ id, uri }) => [id, uri]))
  }

  async function giveAll(uris: readonly string[]): Promise<Map<string, string>> {
    const known = await findIds(uris)
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const unknown = uris.filter((uri) => !known.has(uri))
      if (unknown.length === 0) break
      for (const batch of batches(unknown.map((uri) => toRow(uri, attempt))))
        await state.db
          .insertInto('social_known_uri')
          .values(batch)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      for (const [uri, id] of await findIds(unknown)) known.set(uri, id)
    }
    return known
  }

  async function findIds(uris: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const batch of batches(uris)) {
      const rows = await state.db
        .selectFrom('social_known_uri')
        .select(['id', 'uri'])
        .where('uri', 'in', batch)
        .execute()
      for (const { id, uri } of rows) found.set(uri, id)
    }
    return found
  }
}

function toRow(uri: string, attempt: number) {
  const kind = kindOf(uri)
  if (!kind) throw new Error(`${uri} does not identify an object with an id`)
  const ofKey = kind === 'tweet' && attempt === 0 ? tidToNumber(parseAtUri(uri)?.key ?? '') : null
  return { kind, uri, id: ofKey ?? hashOf(attempt < 2 ? uri : `${uri}#${attempt}`) }
}

/** The first 63 bits of the SHA-256 of a text, in decimal. */
export function hashOf(text: string): string {
  return String(createHash('sha256').update(text).digest().readBigUInt64BE() >> 1n)
}
