import * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { type Call, defineEndpoint } from '../../../../catalogue/endpoint.ts'
import { formatUsd } from '../../../../money/usdc.ts'
import { availabilityOf, type ChatOffer, toChatOffer } from '../../../chat/chat-offer.ts'
import type { Metering } from '../../../chat/metering.ts'
import { ALL_TIERS, DEFAULT_TIER, type Tier } from '../../../chat/tier-table.ts'
import type { InferencePorts } from '../../../ports.ts'
import { MIN_CHARGE_USD } from '../../../price.ts'

const input = z.object({})
const bound = z.int().nullable()

const model = z.object({
  id: z.string().describe("The tier, or the operator's name for it."),
  object: z.literal('model'),
  created: z.int().describe('The same for all: when the tiers were first sold.'),
  owned_by: z.literal('tollbook'),
  available: z.boolean().describe('Whether the tier is currently available.'),
  path: z.string(),
  pricing: z.object({
    scheme: z.enum(['exact', 'upto']),
    price_usd: z.string().describe('Price per call; under upto the max price.'),
    minimum_usd: z.string().optional().describe('The min price of a call under upto.'),
    rates: z
      .object({ input: z.string(), cached: z.string(), output: z.string() })
      .optional()
      .describe('Dollars per million tokens, under upto.'),
  }),
  limits: z
    .object({
      input_characters: bound,
      message_characters: bound,
      input_tokens: bound.describe('Before the call each byte counts as one token.'),
      image_tokens: bound.describe('Tokens counted per image before the call.'),
      max_tokens: z.object({ min: z.int(), max: bound, default: bound }),
    })
    .describe('null means no limit of this service.'),
})

type Model = z.output<typeof model>
type Tiers = Pick<InferencePorts, 'tiers'>

/** 2026-11-21T00:00:00Z */
const FIRST_SOLD = 1_795_219_200

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

/** A tier, and its metered variant if it has one, under each of its names. */
function toModels(tier: Tier, ports: Tiers): Model[] {
  const names = [tier.name, ...(ports.tiers.get(tier.name)?.aliases ?? [])]
  return names.flatMap((name) => {
    const offers = tier.upto
      ? [toChatOffer(tier, false, name), toChatOffer(tier, true, name)]
      : [toChatOffer(tier, false, name)]
    return offers.map((offer) => toModel(offer, ports))
  })
}

function toModel(offer: ChatOffer, { tiers }: Tiers): Model {
  const { tier, name } = offer
  const opened = tiers.get(tier.name)
  const { inputCharacters, messageCharacters, maxTokens } = offer.limitsOf(opened)
  const metering = offer.meteringOf(opened)
  return {
    id: name,
    object: 'model',
    created: FIRST_SOLD,
    owned_by: 'tollbook',
    available: availabilityOf(tier.name, opened).isAvailable,
    path: name === DEFAULT_TIER.name ? '/v1/chat/completions' : `/v1/chat/completions/_t/${name}`,
    pricing: metering ? toMeteredPrice(metering) : { scheme: 'exact', price_usd: tier.priceUsd },
    limits: {
      input_characters: inputCharacters,
      message_characters: messageCharacters,
      input_tokens: metering?.inputTokens ?? null,
      image_tokens: metering?.imageTokens ?? null,
      max_tokens: { min: maxTokens.min, max: maxTokens.max, default: maxTokens.standard },
    },
  }
}

function toMeteredPrice({ maxCharge, rates }: Metering): Model['pricing'] {
  const { input, cached, output } = rates
  return {
    scheme: 'upto',
    price_usd: formatUsd(maxCharge),
    minimum_usd: MIN_CHARGE_USD,
    rates: { input: formatUsd(input), cached: formatUsd(cached), output: formatUsd(output) },
  }
}
