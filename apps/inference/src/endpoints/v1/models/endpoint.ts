import { json } from '@tollbook/endpoints/answer'
import { type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ALL_TIERS, DEFAULT_TIER } from '@tollbook/models/tiers/tier-table'
import * as z from 'zod'
import { model, toModels } from '../../../chat/model-list.ts'
import type { InferencePorts } from '../../../ports.ts'

const input = z.object({})

export const models = defineEndpoint({
  id: 'models',
  method: 'GET',
  path: '/v1/models',
  pricing: { kind: 'free' },
  summary: 'List models',
  description:
    'Free list of the tiers for chat calls, with the price of a call or its rates, its limits, and whether the tier is currently available. No payment is needed.',
  input,
  output: z.object({ object: z.literal('list'), data: z.array(model) }),
  example: {
    input: {},
    output: { object: 'list', data: toModels(DEFAULT_TIER, { tiers: new Map() }) },
  },
  limits: { bodyBytes: 4096, timeoutMs: 2000 },
  dialect: 'chat',
  handle({ ports }: Call<z.output<typeof input>, InferencePorts, null>) {
    return json({ object: 'list' as const, data: ALL_TIERS.flatMap((tier) => toModels(tier, ports)) })
  },
})
