import { isDeepStrictEqual } from 'node:util'
import { type TokenPhrase, tokensOf, toPhrase } from '../../../text/tokens.ts'
import type { TweetQuery } from '../../provider.ts'
import { seqAt } from '../tweet-seq.ts'
import { EVERY_TWEET, hashtagFacet, langFacet, mentionFacet, powerFacet } from './tweet-words.ts'

/** A search in the terms of the index. */
export type TweetFilter = {
  /** All must occur in the text. */
  readonly all: readonly TokenPhrase[]
  /** At least one must occur, if there are any. */
  readonly any: readonly TokenPhrase[]
  readonly none: readonly TokenPhrase[]
  readonly facets: readonly string[]
  readonly min: Readonly<Record<'likes' | 'reposts' | 'replies', number | null>>
  /** The first matching `seq`, and the exclusive end. */
  readonly from: number
  readonly before: number | null
}

/** Resolves the usernames of a query to ids. */
type Named = { readonly fromId: string | null; readonly toId: string | null }

/**
 * The filter of a query; null if nothing can match it, such as a word without letters, or one that is both
 * required and excluded.
 */
export function toFilter(query: TweetQuery, { fromId, toId }: Named): TweetFilter | null {
  const all = [...query.words, ...(query.phrase === null ? [] : [query.phrase])].map(toPhrase)
  const any = query.anyWords.map(toPhrase).filter((phrase) => phrase !== null)
  const none = query.noneWords.map(toPhrase).filter((phrase) => phrase !== null)
  const isImpossible =
    all.includes(null) ||
    // The index would have to check every tweet.
    none.some((unwanted) => all.some((wanted) => isDeepStrictEqual(wanted, unwanted))) ||
    (query.anyWords.length > 0 && any.length === 0) ||
    query.hashtags.some((tag) => tokensOf(tag).length === 0)
  if (isImpossible) return null
  const min = { likes: query.minLikes, reposts: query.minReposts, replies: query.minReplies }
  const facets = [
    ...(fromId === null ? [] : [`f_${fromId}`]),
    ...(toId === null ? [] : [`t_${toId}`]),
    ...(query.mentioning === null ? [] : [mentionFacet(query.mentioning)]),
    ...query.hashtags.map(hashtagFacet),
    ...(query.lang === null ? [] : [langFacet(query.lang)]),
    ...(['likes', 'reposts', 'replies'] as const).flatMap(
      (metric) => powerFacet(metric, min[metric] ?? 0) ?? [],
    ),
  ]
  return {
    all: all.filter((phrase) => phrase !== null),
    any,
    none,
    facets: facets.length + all.length + any.length > 0 ? facets : [EVERY_TWEET],
    min,
    from: query.since === null ? 0 : seqAt(query.since),
    before: query.until === null ? null : seqAt(query.until),
  }
}
