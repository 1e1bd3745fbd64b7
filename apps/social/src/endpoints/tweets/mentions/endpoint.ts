import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import * as z from 'zod'
import { composeTweetPage, findEmptyPage } from '../../../envelope/compose.ts'
import { type TweetPage, tweetPage } from '../../../envelope/envelope.ts'
import { readPage } from '../../../listing/define-listing.ts'
import { findTokenIssues, nextToken } from '../../../paging/next-token.ts'
import type { SocialPorts } from '../../../ports.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../../sample/sample.ts'
import {
  authTokenField,
  CREDENTIAL_HEADERS,
  ct0Field,
  EXAMPLE_SESSION,
  findCredentialIssues,
} from '../../../session/credentials.ts'
import { checkCapability } from '../../../source/check-capability.ts'

/** The answer for user omar_sample of the sample data. */
const example: { input: { auth_token: string }; output: TweetPage } = {
  input: { auth_token: EXAMPLE_SESSION.auth_token },
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

const input = z.object({ auth_token: authTokenField, ct0: ct0Field.optional(), next_token: nextToken })

type Input = z.output<typeof input>

export const mentions = defineEndpoint({
  id: 'tweets.mentions',
  method: 'GET',
  path: '/tweets/mentions',
  pricing: { kind: 'exact', priceUsd: '0.006' },
  summary: 'Mentions of the user of a session',
  description:
    'Latest tweets that mention the user whose session auth_token identifies, most recent first, paginated. GET /auth/x/start issues the token; send it as header X-Auth-Token or in the body of a POST, which proxies do not log.',
  input,
  output: tweetPage,
  example,
  scope: 'session',
  secrets: ['auth_token', 'ct0'],
  headerFields: CREDENTIAL_HEADERS,
  limits: { bodyBytes: 4096, timeoutMs: 15_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'mentions'),
  check: (args, ports) => [
    ...findCredentialIssues(args, ports),
    ...findTokenIssues(ports, 'mentions', listOf(args)),
  ],
  findEmptiness: findEmptyPage,
  async handle({ input: args, ports, signal, now }: Call<Input, SocialPorts, Address>) {
    const user = await ports.sessions.find(args.auth_token, { now, signal })
    const page = await readPage(
      { ports, operation: 'mentions', input: listOf(args), pageSize: PAGE_SIZE },
      (list, requested) => list(user, requested, { signal }),
    )
    return json(composeTweetPage(page))
  },
})

/** Pagination key: `ct0` is excluded, so a follow-up page may omit it. */
function listOf({ auth_token, next_token }: Input) {
  return { auth_token, next_token }
}
