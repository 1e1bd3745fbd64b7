import * as z from 'zod'
import { json } from '../../../catalogue/answer.ts'
import { type Address, type Call, defineEndpoint } from '../../../catalogue/endpoint.ts'
import { includesOf, withAuthors } from '../../envelope/compose.ts'
import { batchEnvelope } from '../../envelope/envelope.ts'
import { findIdFaults, idsOf } from '../../listing/tweet-ids.ts'
import type { SocialPorts } from '../../ports.ts'
import { checkCapability, requireOperation } from '../../source/check-capability.ts'
import { example } from './example.ts'

const input = z.object({
  ids: z.string().min(1).max(2000).describe('1 to 50 numeric tweet IDs, separated by commas.'),
})

export const tweetsByIds = defineEndpoint({
  id: 'tweets',
  method: 'GET',
  path: '/tweets',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'Tweets by their IDs',
  description:
    'Up to 50 tweets by numeric IDs, separated by commas: each with full text, author profile and engagement metrics, in the order requested; missing ones are listed under errors.',
  input,
  output: batchEnvelope,
  example,
  limits: { bodyBytes: 4096, timeoutMs: 15_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'tweetsByIds'),
  check: findIdFaults,
  async handle({ input: given, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const { data, includes, missing } = await requireOperation(ports, 'tweetsByIds')(idsOf(given), { signal })
    const errors = missing.map((id) => ({
      resource_type: 'tweet',
      resource_id: id,
      parameter: 'ids',
      value: id,
      title: 'Not Found Error',
      detail: `No tweet has the id ${id}.`,
    }))
    return json({
      data: withAuthors(data, includes),
      ...includesOf(includes),
      ...(errors.length > 0 && { errors }),
    })
  },
})
