import * as z from 'zod'
import type { Fault } from '../../../../http/problem.ts'
import { usernameField, withoutAt } from '../../../listing/fields.ts'
import { nextToken } from '../../../paging/next-token.ts'
import type { TweetQuery } from '../../../source/tweet-query.ts'
import { toPhrase } from '../../../text/tokens.ts'

/** Bounds that keep a search from costing more than its price. */
const MAX = { words: 10, anyWords: 20, noneWords: 10, hashtags: 10, phraseTokens: 20, characters: 512 }

const text = z.string().min(1).max(MAX.characters)
const min = z.coerce.number().int().min(0).max(1e12).optional()
const moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .optional()
  .describe('A date YYYY-MM-DD (its start in UTC) or an ISO time.')

/** The filters of a search (specification 4.3); a tweet must match all provided filters. */
export const input = z.object({
  words: text
    .optional()
    .describe('Words that must all occur, separated by spaces; operators have no meaning.'),
  phrase: text.optional().describe('Consecutive words that must occur in this order.'),
  anyWords: text
    .optional()
    .describe('Words of which at least one must occur, separated by spaces or commas.'),
  noneWords: text.optional().describe('Words that must not occur, separated by spaces or commas.'),
  hashtags: text
    .optional()
    .describe('Hashtags that must all occur, with or without #, separated by spaces or commas.'),
  from: usernameField.optional(),
  to: usernameField.optional(),
  mentioning: usernameField.optional(),
  minReplies: min.describe('Minimum number of replies.'),
  minLikes: min.describe('Minimum number of likes.'),
  minReposts: min.describe('Minimum number of reposts.'),
  since: moment,
  until: moment,
  lang: z
    .string()
    .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, 'must be a language tag, such as en')
    .optional()
    .describe('Language tag of the tweets, such as en.'),
  next_token: nextToken,
})

type Input = z.output<typeof input>

/** Validation issues of a search. */
export function findFilterFaults(args: Input): readonly Fault[] {
  const { next_token, lang, ...filters } = args
  const isEmpty = Object.values(filters).every((value) => value === undefined)
  if (isEmpty) return [{ parameter: 'words', detail: 'at least one filter besides lang is required' }]
  const query = toQuery(args)
  const faults: (Fault | false)[] = [
    ...(['words', 'anyWords', 'noneWords', 'hashtags'] as const).map(
      (name) =>
        query[name].length > MAX[name] && fault(name, `has ${query[name].length} parts (limit ${MAX[name]})`),
    ),
    ...(['words', 'anyWords', 'noneWords', 'hashtags'] as const).flatMap((name) =>
      query[name]
        .filter((word) => toPhrase(word) === null)
        .slice(0, 1)
        .map((word) => fault(name, `contains ${JSON.stringify(word)}, which has no letter, digit or emoji`)),
    ),
    query.phrase !== null &&
      (toPhrase(query.phrase)?.tokens.length ?? 0) === 0 &&
      fault('phrase', 'has no letter, digit or emoji'),
    query.phrase !== null &&
      (toPhrase(query.phrase)?.tokens.length ?? 0) > MAX.phraseTokens &&
      fault('phrase', `has too many words (limit ${MAX.phraseTokens})`),
    query.since !== null &&
      query.until !== null &&
      query.since >= query.until &&
      fault('until', 'must be after since (since is inclusive, until exclusive)'),
  ]
  return faults.filter((one) => one !== false)
}

/** Converts the parameters to a query. */
export function toQuery(args: Input): TweetQuery {
  const username = (name: string | undefined) => (name === undefined ? null : withoutAt(name))
  return {
    words: parts(args.words),
    phrase: args.phrase ?? null,
    anyWords: parts(args.anyWords),
    noneWords: parts(args.noneWords),
    hashtags: parts(args.hashtags).map((tag) => tag.replace(/^[#＃]/, '')),
    from: username(args.from),
    to: username(args.to),
    mentioning: username(args.mentioning),
    minReplies: args.minReplies ?? null,
    minLikes: args.minLikes ?? null,
    minReposts: args.minReposts ?? null,
    since: args.since === undefined ? null : new Date(args.since),
    until: args.until === undefined ? null : new Date(args.until),
    lang: args.lang ?? null,
  }
}

function parts(args: string | undefined): string[] {
  return (args ?? '').split(/[\s,]+/).filter((part) => part !== '')
}

function fault(parameter: string, detail: string): Fault {
  return { parameter, detail }
}
