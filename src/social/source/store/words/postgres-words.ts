import type { TweetWords } from './tweet-words.ts'

/**
 * Maximum position of a word in a PostgreSQL tsvector
 * (https://www.postgresql.org/docs/current/textsearch-limitations.html).
 */
const LAST_POSITION = 16_383
const SEQS_PER_DAY = 86_400_000 * 2048

/** The day of a `seq`, since 1970 in UTC. */
export function dayOf(seq: number): number {
  return Math.floor(seq / SEQS_PER_DAY)
}

/** The words of a tweet at that `seq`, each with its day, as `tsvector` text; empty without words. */
export function toVector(words: TweetWords | null, seq: number): string {
  if (!words) return ''
  const day = dayOf(seq)
  const positions = new Map<string, number[]>()
  for (const [at, token] of words.body.slice(0, LAST_POSITION).entries()) {
    const known = positions.get(token)
    if (known) known.push(at + 1)
    else positions.set(token, [at + 1])
  }
  const placed = [...positions].map(([token, places]) => `'${day}:${token}':${places.join(',')}`)
  return [...placed, ...words.facets.map((facet) => `'${day}:${facet}'`)].join(' ')
}
