import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import { composeTweetPage, findEmptyPage } from '../../../envelope/compose.ts'
import { type TweetPage, tweetPage } from '../../../envelope/envelope.ts'
import { readPage, usernameField, withoutAt } from '../../../listing/define-listing.ts'
import { findTokenIssues, nextToken } from '../../../paging/next-token.ts'
import type { SocialPorts } from '../../../ports.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../../sample/sample.ts'
import { checkCapability } from '../../../source/check-capability.ts'
import type { TweetQuery } from '../../../source/provider.ts'
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
const input = z.object({
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

const example: { input: { words: string; minLikes: number }; output: TweetPage } = {
  input: { words: 'lemma', minLikes: 100 },
  output: {
    data: [sampleAnswer('9100000000000000016')],
    includes: {
      users: [sampleUser('nadia_sample'), sampleUser('omar_sample')],
      tweets: [sampleTweet('9100000000000000015')],
    },
    meta: { result_count: 1, newest_id: '9100000000000000016', oldest_id: '9100000000000000016' },
  },
}

const PAGE_SIZE = 20

export const searchTweets = defineEndpoint({
  id: 'tweets.search',
  method: 'GET',
  path: '/tweets/search',
  pricing: { kind: 'exact', priceUsd: '0.006' },
  summary: 'Search tweets',
  description:
    'Tweets, most recent first, that match all filters: words, phrase, anyWords, noneWords, hashtags, from, to, mentioning, minReplies, minLikes, minReposts, since, until, lang; paginated.',
  input,
  output: tweetPage,
  example,
  limits: { bodyBytes: 8192, timeoutMs: 15_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'searchTweets'),
  check: (args, ports: SocialPorts) => {
    const issues = findFilterIssues(args)
    if (issues.length > 0) return issues
    const unsearchable = ports.provider.searchIssues?.tweets?.(toQuery(args)) ?? []
    return unsearchable.length > 0 ? unsearchable : findTokenIssues(ports, 'searchTweets', args)
  },
  findEmptiness: findEmptyPage,
  async handle({ input: args, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const page = await readPage(
      { ports, operation: 'searchTweets', input: args, pageSize: PAGE_SIZE },
      (search, requested) => search(toQuery(args), requested, { signal }),
    )
    return json(composeTweetPage(page))
  },
})

/** Validation issues of a search. */
function findFilterIssues(args: Input): readonly Issue[] {
  const { next_token, lang, ...filters } = args
  const isEmpty = Object.values(filters).every((value) => value === undefined)
  if (isEmpty) return [{ parameter: 'words', detail: 'at least one filter besides lang is required' }]
  const query = toQuery(args)
  const issues: (Issue | false)[] = [
    ...(['words', 'anyWords', 'noneWords', 'hashtags'] as const).map(
      (name) =>
        query[name].length > MAX[name] && issue(name, `has ${query[name].length} parts (limit ${MAX[name]})`),
    ),
    ...(['words', 'anyWords', 'noneWords', 'hashtags'] as const).flatMap((name) =>
      query[name]
        .filter((word) => toPhrase(word) === null)
        .slice(0, 1)
        .map((word) => issue(name, `contains ${JSON.stringify(word)}, which has no letter, digit or emoji`)),
    ),
    query.phrase !== null &&
      (toPhrase(query.phrase)?.tokens.length ?? 0) === 0 &&
      issue('phrase', 'has no letter, digit or emoji'),
    query.phrase !== null &&
      (toPhrase(query.phrase)?.tokens.length ?? 0) > MAX.phraseTokens &&
      issue('phrase', `has too many words (limit ${MAX.phraseTokens})`),
    query.since !== null &&
      query.until !== null &&
      query.since >= query.until &&
      issue('until', 'must be after since (since is inclusive, until exclusive)'),
  ]
  return issues.filter((one) => one !== false)
}

/** Converts the parameters to a query. */
function toQuery(args: Input): TweetQuery {
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

function issue(parameter: string, detail: string): Issue {
  return { parameter, detail }
}
