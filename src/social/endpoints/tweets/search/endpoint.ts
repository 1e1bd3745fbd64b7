import type * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { composeTweetPage } from '../../../envelope/compose.ts'
import { tweetPage } from '../../../envelope/envelope.ts'
import { readPage } from '../../../listing/read-page.ts'
import { findTokenFaults } from '../../../paging/next-token.ts'
import type { SocialPorts } from '../../../ports.ts'
import { checkCapability } from '../../../source/check-capability.ts'
import { example } from './example.ts'
import { findFilterFaults, input, toQuery } from './filters.ts'

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
