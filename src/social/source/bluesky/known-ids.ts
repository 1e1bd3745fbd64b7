import { createHash } from 'node:crypto'
import type { State } from '../../../state/state.ts'
import { batches } from '../store/batches.ts'
import { type AtKind, kindOf, parseAtUri } from './at-uri.ts'
import { tidToNumber } from './tid.ts'

/** Gives the id of a DID or the address of a record. */
export type IdOf = (uri: string) => string

/** The ids under which users, posts and lists of Bluesky are known here, which has names in their place. */
export type KnownIds = {
  /**
   * What `build` makes with the ids of what it asks for; those not yet known are given and stored first. It is called
   * twice, at first with ids that mean nothing, and must ask for the same both times.
   */
  readonly give: <Made>(build: (idOf: IdOf) => Made) => Promise<Made>
  /** What ids of that kind were given to, without those that were not given. */
  readonly find: (kind: AtKind, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** The same of one id. */
  readonly findOne: (kind: AtKind, id: string) => Promise<string | null>
}

/** One id in 2^63 is taken by chance, and then the next one is given. */
const MAX_TRIES = 4

/**
 * Ids that every process on this store agrees upon. A post has the number of its record key, which orders posts by
 * time; users and lists have the first 63 bits of the SHA-256 of their names. Anyone can write a post with the key of
 * somebody else's: the id stays with the post that was seen first, and the later one has the hash of its address.
 */
export function createKnownIds(state: State): KnownIds {
  return {
    async give(build) {
      const asked = new Set<string>()
      build((uri) => {
        asked.add(uri)
        return '0'
      })
      const ids = await giveAll([...asked])
      return build((uri) => {
        const id = ids.get(uri)
        if (id === undefined) throw new Error(`no id was asked for ${uri} at first`)
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
  if (!kind) throw new Error(`${uri} stands for nothing that has an id`)
  const ofKey = kind === 'tweet' && attempt === 0 ? tidToNumber(parseAtUri(uri)?.key ?? '') : null
  return { kind, uri, id: ofKey ?? hashOf(attempt < 2 ? uri : `${uri}#${attempt}`) }
}

/** The first 63 bits of the SHA-256 of a text, in decimal. */
export function hashOf(text: string): string {
  return String(createHash('sha256').update(text).digest().readBigUInt64BE() >> 1n)
}
