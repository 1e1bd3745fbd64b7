import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import { composeTweetPage, findEmptyPage } from '../../../envelope/compose.ts'
import { type TweetPage, tweetPage } from '../../../envelope/envelope.ts'
import { readPage, usernameField, withoutAt } from '../../../listing/define-listing.ts'
import { findTokenIssues, nextToken } from '../../../paging/next-token.ts'
import type { SocialPorts } from '../../../ports.ts'
import { sampleAnswer, sampleUser } from '../../../sample/sample.ts'
import { checkCapability } from '../../../source/check-capability.ts'

const example: { input: { username: string }; output: TweetPage } = {
  input: { username: 'ravi_sample' },
  output: {
    data: [sampleAnswer('9100000000000000020')],
    includes: { users: [sampleUser('ravi_sample')] },
    meta: { result_count: 1, newest_id: '9100000000000000020', oldest_id: '9100000000000000020' },
  },
}

const PAGE_SIZE = 20

const input = z.object({ username: usernameField, next_token: nextToken })

export const userTweets = defineEndpoint({
  id: 'tweets.user',
  method: 'GET',
  path: '/tweets/user',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Tweets of a user',
  description:
    'Latest tweets of a user by screen name, most recent first, replies and reposts included, with engagement metrics, paginated.',
  input,
  output: tweetPage,
  example,
  limits: { bodyBytes: 4096, timeoutMs: 15_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'tweetsOfUser'),
  check: (args, ports) => findTokenIssues(ports, 'tweetsOfUser', args),
  findEmptiness: findEmptyPage,
  async handle({ input: args, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const username = withoutAt(args.username)
    const page = await readPage(
      { ports, operation: 'tweetsOfUser', input: args, pageSize: PAGE_SIZE },
      (tweetsOfUser, requested) => tweetsOfUser(username, requested, { signal }),
      `No user is named ${username}.`,
    )
    return json(composeTweetPage(page))
  },
})
