import * as z from 'zod'
import type { Fault } from '../../../../catalogue/problem.ts'
import { usernameField, withoutAt } from '../../../listing/fields.ts'
import { nextToken } from '../../../paging/next-token.ts'
import type { TweetQuery } from '../../../source/tweet-query.ts'
import { toPhrase } from '../../../text/tokens.ts'

/** Bounds that keep a search from costing more than it sells for. */
const MAX = { words: 10, anyWords: 20, noneWords: 10, hashtags: 10, phraseTokens: 20, characters: 512 }

const text = z.string().min(1).max(MAX.characters)
const min = z.coerce.number().int().min(0).max(1e12).optional()
const moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .optional()
  .describe('A date YYYY-MM-DD (its start in UTC) or an ISO time.')

/** The filters of a search (specification 4.3); a tweet must fit all that are given. */
export const input = z.object({
  words: text.optional().describe('Words that all occur, separated by spaces; operators have no meaning.'),
  phrase: text.optional().describe('Words that occur one after the other.'),
  anyWords: text.optional().describe('Words of which at least one occurs, separated by spaces or commas.'),
  noneWords: text.optional().describe('Words of which none occurs, separated by spaces or commas.'),
  hashtags: text
    .optional()
    .describe('Hashtags that all occur, with or without #, separated by spaces or commas.'),
  from: usernameField.optional(),
  to: usernameField.optional(),
  mentioning: usernameField.optional(),
  minReplies: min.describe('Least number of replies.'),
  minLikes: min.describe('Least number of likes.'),
  minReposts: min.describe('Least number of reposts.'),
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

/** What a search cannot be about. */
export function findFilterFaults(given: Input): readonly Fault[] {
  const { next_token, lang, ...filters } = given
  const isEmpty = Object.values(filters).every((value) => value === undefined)
  if (isEmpty) return [{ parameter: 'words', detail: 'or another filter is needed; lang alone is none' }]
  const query = toQuery(given)
  const faults: (Fault | false)[] = [
    ...(['words', 'anyWords', 'noneWords', 'hashtags'] as const).map(
      (name) =>
        query[name].length > MAX[name] &&
        fault(name, `has ${query[name].length} parts; send at most ${MAX[name]}`),
    ),
    ...(['words', 'anyWords', 'noneWords', 'hashtags'] as const).flatMap((name) =>
      query[name]
        .filter((word) => toPhrase(word) === null)
        .slice(0, 1)
        .map((word) =>
          fault(name, `has ${JSON.stringify(word)}, in which there is no letter, digit or emoji`),
        ),
    ),
    query.phrase !== null &&
      (toPhrase(query.phrase)?.tokens.length ?? 0) === 0 &&
      fault('phrase', 'has no letter, digit or emoji'),
    query.phrase !== null &&
      (toPhrase(query.phrase)?.tokens.length ?? 0) > MAX.phraseTokens &&
      fault('phrase', `has more than ${MAX.phraseTokens} words`),
    query.since !== null &&
      query.until !== null &&
      query.since >= query.until &&
      fault('until', 'must be after since; since is included and until is not'),
  ]
  return faults.filter((one) => one !== false)
}

/** The search that the parameters ask for. */
export function toQuery(given: Input): TweetQuery {
  const username = (name: string | undefined) => (name === undefined ? null : withoutAt(name))
  return {
    words: parts(given.words),
    phrase: given.phrase ?? null,
    anyWords: parts(given.anyWords),
    noneWords: parts(given.noneWords),
    hashtags: parts(given.hashtags).map((tag) => tag.replace(/^[#＃]/, '')),
    from: username(given.from),
    to: username(given.to),
    mentioning: username(given.mentioning),
    minReplies: given.minReplies ?? null,
    minLikes: given.minLikes ?? null,
    minReposts: given.minReposts ?? null,
    since: given.since === undefined ? null : new Date(given.since),
    until: given.until === undefined ? null : new Date(given.until),
    lang: given.lang ?? null,
  }
}

function parts(given: string | undefined): string[] {
  return (given ?? '').split(/[\s,]+/).filter((part) => part !== '')
}

function fault(parameter: string, detail: string): Fault {
  return { parameter, detail }
}
