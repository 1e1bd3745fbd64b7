import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { includesOf, withAuthors } from '../../../../envelope/compose.ts'
import { type TweetAnswer, tweetEnvelope } from '../../../../envelope/envelope.ts'
import { idField } from '../../../../listing/define-listing.ts'
import type { SocialPorts } from '../../../../ports.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../../../sample/sample.ts'
import { checkCapability, requireOperation } from '../../../../source/check-capability.ts'

const example: { input: { id: string }; output: TweetAnswer } = {
  input: { id: '9100000000000000019' },
  output: {
    data: sampleAnswer('9100000000000000019'),
    includes: {
      users: [sampleUser('sample_fc'), sampleUser('ben_sample')],
      tweets: [sampleTweet('9100000000000000018')],
    },
  },
}

const input = z.object({ id: idField('tweet') })

export const tweetById = defineEndpoint({
  id: 'tweets.by.id',
  method: 'GET',
  path: '/tweets/by/id',
  pricing: { kind: 'exact', priceUsd: '0.0025' },
  summary: 'Tweet by ID',
  description:
    'Full tweet by numeric ID: text, author profile, creation date, engagement metrics (likes, retweets, replies, quotes, bookmarks) and referenced tweets, as in the X API v2.',
  input,
  output: tweetEnvelope,
  example,
  limits: { bodyBytes: 1024, timeoutMs: 10_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'tweetById'),
  async handle({ input: { id }, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const found = await requireOperation(ports, 'tweetById')(id, { signal })
    if (!found) throw new ProblemError({ code: 'not_found', detail: `No tweet has the id ${id}.` })
    const [data = found.data] = withAuthors([found.data], found.includes)
    return json({ data, ...includesOf(found.includes) })
  },
})
