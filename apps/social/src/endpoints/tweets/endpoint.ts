import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { includesOf, withAuthors } from '../../envelope/compose.ts'
import { type Batch, batchEnvelope } from '../../envelope/envelope.ts'
import { isInRange } from '../../model.ts'
import type { SocialPorts } from '../../ports.ts'
import { sampleAnswer, sampleTweet, sampleUser } from '../../sample/sample.ts'
import { checkCapability, requireOperation } from '../../source/check-capability.ts'

const example: { input: { ids: string }; output: Batch } = {
  input: { ids: '9100000000000000019,1' },
  output: {
    data: [sampleAnswer('9100000000000000019')],
    includes: {
      users: [sampleUser('sample_fc'), sampleUser('ben_sample')],
      tweets: [sampleTweet('9100000000000000018')],
    },
    errors: [
      {
        resource_type: 'tweet',
        resource_id: '1',
        parameter: 'ids',
        value: '1',
        title: 'Not Found Error',
        detail: 'No tweet has the id 1.',
      },
    ],
  },
}

const input = z.object({
  ids: z.string().min(1).max(2000).describe('1 to 50 numeric tweet IDs, separated by commas.'),
})

/** Specification 4.3. */
const MAX_IDS = 50

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
  check: findIdIssues,
  async handle({ input: args, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const { data, includes, missing } = await requireOperation(ports, 'tweetsByIds')(idsOf(args), { signal })
    if (data.length === 0)
      throw new ProblemError({ code: 'not_found', detail: 'No tweet has any of the ids.' })
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

/** The ids of a batch in the requested order, without duplicates. */
function idsOf({ ids }: { readonly ids: string }): string[] {
  return [...new Set(ids.split(',').map((id) => id.trim()))]
}

/** Validation issues of the ids of a batch. */
function findIdIssues(args: { readonly ids: string }): readonly Issue[] {
  const ids = idsOf(args)
  const wrong = ids.find((id) => !/^\d{1,19}$/.test(id) || !isInRange(id))
  if (wrong !== undefined)
    return [
      {
        parameter: 'ids',
        detail: `contains ${JSON.stringify(wrong.slice(0, 30))}, which is not a numeric tweet ID`,
      },
    ]
  if (ids.length > MAX_IDS) return [{ parameter: 'ids', detail: `has ${ids.length} IDs (limit ${MAX_IDS})` }]
  return []
}
