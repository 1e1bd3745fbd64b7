import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { includesOf } from '../../../../envelope/compose.ts'
import { type ListAnswer, listEnvelope } from '../../../../envelope/envelope.ts'
import { idField } from '../../../../listing/define-listing.ts'
import type { SocialPorts } from '../../../../ports.ts'
import { sampleUser } from '../../../../sample/sample.ts'
import { checkCapability, requireOperation } from '../../../../source/check-capability.ts'

const input = z.object({ id: idField('List') })

const example: { input: { id: string }; output: ListAnswer } = {
  input: { id: '9120000000000000001' },
  output: {
    data: {
      id: '9120000000000000001',
      name: 'Sky and weather',
      description: 'Who looks up, and says so.',
      private: false,
      member_count: 4,
      follower_count: 3,
      created_at: '2024-02-01T10:00:00.000Z',
      owner_id: '9000000000000000001',
      banner_image_url: 'https://example.com/lists/sky.png',
      mode: 'public',
      subscriber_count: 3,
      owner: sampleUser('mira_sample'),
    },
    includes: { users: [sampleUser('mira_sample')] },
  },
}

export const listById = defineEndpoint({
  id: 'lists.by.id',
  method: 'GET',
  path: '/lists/by/id',
  pricing: { kind: 'exact', priceUsd: '0.0025' },
  summary: 'List by ID',
  description:
    'List by numeric ID: name, description, mode, member count, subscriber count, creation date, banner image and owner profile.',
  input,
  output: listEnvelope,
  example,
  limits: { bodyBytes: 1024, timeoutMs: 10_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'listById'),
  async handle({ input: { id }, ports, signal }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const found = await requireOperation(ports, 'listById')(id, { signal })
    if (!found) throw new ProblemError({ code: 'not_found', detail: `No List has the id ${id}.` })
    const { data, includes } = found
    const owner = includes.users?.find((one) => one.id === data.owner_id)
    return json({
      data: {
        ...data,
        ...(data.private !== undefined && {
          mode: data.private ? ('private' as const) : ('public' as const),
        }),
        ...(data.follower_count !== undefined && { subscriber_count: data.follower_count }),
        ...(owner && { owner }),
      },
      ...includesOf(includes),
    })
  },
})
