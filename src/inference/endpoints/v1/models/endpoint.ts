import * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { availabilityOf } from '../../../chat/availability.ts'
import { limitsOf } from '../../../chat/limits.ts'
import { ALL_TIERS, DEFAULT_TIER, type Tier } from '../../../chat/tier-table.ts'
import type { InferencePorts } from '../../../ports.ts'

const input = z.object({})
const bound = z.int().nullable()

const model = z.object({
  id: z.string().describe('The tier.'),
  object: z.literal('model'),
  created: z.int().describe('The same for all: when the tiers were first sold.'),
  owned_by: z.literal('tollbook'),
  available: z.boolean().describe('Whether a call would be sold right now.'),
  path: z.string(),
  pricing: z.object({ scheme: z.literal('exact'), price_usd: z.string().describe('Of each call.') }),
  limits: z
    .object({
      input_characters: bound,
      message_characters: bound,
      max_tokens: z.object({ min: z.int(), max: bound, default: bound }),
    })
    .describe('null is without a bound of ours.'),
})

/** 2026-11-21T00:00:00Z */
const FIRST_SOLD = 1_795_219_200

export const models = defineEndpoint({
  id: 'models',
  method: 'GET',
  path: '/v1/models',
  pricing: { kind: 'free' },
  summary: 'List models',
  description:
    'Free list of the tiers that chats can be sent to, with the price of a call, its limits, and whether the tier is available right now. No payment is needed.',
  input,
  output: z.object({ object: z.literal('list'), data: z.array(model) }),
  example: {
    input: {},
    output: { object: 'list', data: [toModel(DEFAULT_TIER, { tiers: new Map() })] },
  },
  limits: { bodyBytes: 4096, timeoutMs: 2000 },
  dialect: 'chat',
  handle({ ports }: Call<z.output<typeof input>, InferencePorts, null>) {
    return json({ object: 'list' as const, data: ALL_TIERS.map((tier) => toModel(tier, ports)) })
  },
})

function toModel(tier: Tier, { tiers }: Pick<InferencePorts, 'tiers'>): z.output<typeof model> {
  const opened = tiers.get(tier.name)
  const { inputCharacters, messageCharacters, maxTokens } = limitsOf(tier, opened)
  return {
    id: tier.name,
    object: 'model',
    created: FIRST_SOLD,
    owned_by: 'tollbook',
    available: availabilityOf(tier.name, opened).isAvailable,
    path: tier === DEFAULT_TIER ? '/v1/chat/completions' : `/v1/chat/completions/_t/${tier.name}`,
    pricing: { scheme: 'exact', price_usd: tier.priceUsd },
    limits: {
      input_characters: inputCharacters,
      message_characters: messageCharacters,
      max_tokens: { min: maxTokens.least, max: maxTokens.most, default: maxTokens.standard },
    },
  }
}
