import type * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { composeTweetPage } from '../../../envelope/compose.ts'
import { type TweetPage, tweetPage } from '../../../envelope/envelope.ts'
import { readPage } from '../../../listing/read-page.ts'
import { findTokenFaults } from '../../../paging/next-token.ts'
import type { SocialPorts } from '../../../ports.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../../sample/sample.ts'
import { checkCapability } from '../../../source/check-capability.ts'
import { findFilterFaults, input, toQuery } from './filters.ts'

const example: { input: { words: string; minLikes: number }; output: TweetPage } = {
  input: {
    words: 'lemma',
    minLikes: 100,
  },
  output: {
    data: [sampleAnswer('9100000000000000016')],
    includes: {
      users: [sampleUser('nadia_sample'), sampleUser('omar_sample')],
      tweets: [sampleTweet('9100000000000000015')],
    },
    meta: {
      result_count: 1,
      newest_id: '9100000000000000016',
      oldest_id: '9100000000000000016',
    },
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
    const faults = findFilterFaults(args)
    if (faults.length > 0) return faults
    const unsearchable = ports.provider.searchFaults?.tweets?.(toQuery(args)) ?? []
    return unsearchable.length > 0 ? unsearchable : findTokenFaults(ports, 'searchTweets', args)
  },
  async handle({ input: args, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const page = await readPage(
      { ports, operation: 'searchTweets', input: args, pageSize: PAGE_SIZE },
      (search, requested) => search(toQuery(args), requested, { signal }),
    )
    return json(composeTweetPage(page))
  },
})
