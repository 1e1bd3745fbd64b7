import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { Tables } from '../../../state/tables.ts'
import type { Tweet } from '../../model/tweet.ts'

/** Places within one millisecond; the product stays below 2^53 until the year 2109. */
const PER_MS = 2048

/** The lowest place of a moment: tweets from then on are at or above it. */
export function seqAt(time: Date): number {
  return Math.max(0, time.getTime()) * PER_MS
}

/**
 * A place in time for each tweet: its creation time, then a number of its own. Tweets that are stored keep
 * theirs, and no two share one. A tweet without a creation time stands where it was fetched.
 */
export async function findFreeSeqs(
  transaction: Transaction<Tables>,
  tweets: readonly Tweet[],
  fetchedAt: number,
): Promise<number[]> {
  const ids = tweets.map(({ id }) => id)
  const wanted = tweets.map((tweet) => wantedSeq(tweet, fetchedAt))
  const stored = await transaction
    .selectFrom('social_tweet')
    .select(['id', 'seq'])
    .where('id', 'in', ids)
    .execute()
  const kept = new Map(stored.map(({ id, seq }) => [id, seq]))
  const taken = new Set(
    (await transaction.selectFrom('social_tweet').select('seq').where('seq', 'in', wanted).execute()).map(
      ({ seq }) => seq,
    ),
  )
  const seqs: number[] = []
  for (const [at, id] of ids.entries()) {
    const known = kept.get(id)
    let seq = known ?? wanted[at] ?? 0
    while (known === undefined && (taken.has(seq) || (await isTaken(transaction, seq, wanted[at])))) seq += 1
    taken.add(seq)
    seqs.push(seq)
  }
  return seqs
}

/** Only a place that was moved to has not been looked up yet. */
async function isTaken(
  transaction: Transaction<Tables>,
  seq: number,
  wanted: number | undefined,
): Promise<boolean> {
  if (seq === wanted) return false
  const row = await transaction
    .selectFrom('social_tweet')
    .select('seq')
    .where('seq', '=', seq)
    .executeTakeFirst()
  return row !== undefined
}

function wantedSeq({ id, created_at }: Tweet, fetchedAt: number): number {
  const own = createHash('sha256').update(id).digest().readUInt16BE(0) % PER_MS
  return seqAt(new Date(created_at ?? fetchedAt)) + own
}
