import { hash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { Tweet } from '../../model.ts'
import type { State } from '../../state/state.ts'
import type { Tables } from '../../state/tables.ts'

/** Positions per millisecond; the product stays below 2^53 until the year 2109. */
const PER_MS = 2048

/** Positions for tweets of unknown time, equal to 17 minutes: a file may contain many that were fetched at once. */
const WITHOUT_TIME = 2 ** 31

/** The lowest position of a time: tweets from then on are at or above it. */
export function seqAt(time: Date): number {
  return Math.max(0, time.getTime()) * PER_MS
}

/** Position of a tweet in time, and the body stored there; null if it is new. */
export type Place = { readonly seq: number; readonly storedBody: string | null }

/**
 * A position in time for each tweet: its creation time, then a number derived from its id. Stored tweets keep
 * theirs, and no two share one. A tweet without a creation time is placed shortly before its fetch time.
 */
export async function findPlaces(
  transaction: Transaction<Tables>,
  kind: State['kind'],
  tweets: readonly Tweet[],
  fetchedAt: number,
): Promise<Place[]> {
  const ids = tweets.map(({ id }) => id)
  const wanted = tweets.map((tweet) => wantedSeq(tweet, fetchedAt))
  const stored = await transaction
    .selectFrom('social_tweet')
    .select(['id', 'seq', 'body'])
    .where((eb) => eb.or([eb('id', 'in', listOf(kind, ids)), eb('seq', 'in', listOf(kind, wanted))]))
    .execute()
  const storedRows = new Map(stored.map((row) => [row.id, row]))
  const taken = new Set(stored.map(({ seq }) => seq))
  const places: Place[] = []
  for (const [at, id] of ids.entries()) {
    const known = storedRows.get(id)
    if (known) {
      places.push({ seq: known.seq, storedBody: known.body })
      continue
    }
    const start = wanted[at] ?? 0
    let seq = start
    // Only the first position has been looked up yet.
    while (taken.has(seq) || (seq !== start && (await isTaken(transaction, seq)))) seq += 1
    taken.add(seq)
    places.push({ seq, storedBody: null })
  }
  return places
}

/** SQLite binds a list of any length as one parameter, and so reuses the prepared statement. */
function listOf<Value extends string | number>(kind: State['kind'], values: readonly Value[]) {
  if (kind === 'postgres') return values
  return sql<Value>`(select value from json_each(${JSON.stringify(values)}))`
}

async function isTaken(transaction: Transaction<Tables>, seq: number): Promise<boolean> {
  const row = await transaction
    .selectFrom('social_tweet')
    .select('seq')
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row !== undefined
}

function wantedSeq({ id, created_at }: Tweet, fetchedAt: number): number {
  const own = hash('sha256', id, 'buffer').readUInt32BE(0)
  if (created_at === undefined) return seqAt(new Date(fetchedAt)) - (own % WITHOUT_TIME)
  return seqAt(new Date(created_at)) + (own % PER_MS)
}
