import { type AtomicUsdc, formatUsd } from '@tollbook/chain/usdc'
import type { Metering } from '@tollbook/models/tiers/metering'
import { DEFAULT_TIER, type Tier } from '@tollbook/models/tiers/tier-table'
import * as z from 'zod'
import type { InferencePorts } from '../ports.ts'
import { MIN_CHARGE_USD } from '../price.ts'
import { availabilityOf, type ChatOffer, toChatOffer } from './chat-offer.ts'

const bound = z.int().nullable()

/** One entry of the list of models; the members of OpenRouter's list come next to our own. */
export const model = z.object({
  id: z.string().describe("The tier, or the operator's name for it."),
  object: z.literal('model'),
  name: z.string(),
  created: z.int().describe('The same for all: when the tiers were first sold.'),
  owned_by: z.literal('tollbook'),
  available: z.boolean().describe('Whether the tier is currently available.'),
  path: z.string(),
  context_length: z.int().optional().describe('Tokens of question and answer together, where bounded.'),
  pricing: z.object({
    prompt: z.string().describe('Dollars per token of the conversation; 0 if each call costs the same.'),
    completion: z.string().describe('Dollars per token of the answer; 0 if each call costs the same.'),
    request: z.string().describe('Dollars per call; 0 under upto.'),
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
      input_tokens: bound.describe('Counted with o200k before the call, a token at most 6 bytes.'),
      image_tokens: bound.describe('Tokens counted per image before the call.'),
      max_tokens: z.object({ min: z.int(), max: bound, default: bound }),
    })
    .describe('null means no limit of this service.'),
})

type Model = z.output<typeof model>
type Tiers = Pick<InferencePorts, 'tiers'>

/** 2026-11-21T00:00:00Z */
const FIRST_SOLD = 1_795_219_200

/** A tier, and its metered variant if it has one, under each of its names. */
export function toModels(tier: Tier, ports: Tiers): Model[] {
  const names = [tier.name, ...(ports.tiers.get(tier.name)?.otherNames ?? [])]
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
    name: `Tollbook ${name}`,
    created: FIRST_SOLD,
    owned_by: 'tollbook',
    available: availabilityOf(tier.name, opened).isAvailable,
    path: name === DEFAULT_TIER.name ? '/v1/chat/completions' : `/v1/chat/completions/_t/${name}`,
    ...(typeof metering?.inputTokens === 'number' && {
      context_length: metering.inputTokens + metering.outputTokens,
    }),
    pricing: metering ? toMeteredPrice(metering) : toFixedPrice(tier),
    limits: {
      input_characters: inputCharacters,
      message_characters: messageCharacters,
      input_tokens: metering?.inputTokens ?? null,
      image_tokens: metering?.imageTokens ?? null,
      max_tokens: { min: maxTokens.min, max: maxTokens.max, default: maxTokens.standard },
    },
  }
}

function toFixedPrice({ priceUsd }: Tier): Model['pricing'] {
  return { prompt: '0', completion: '0', request: priceUsd, scheme: 'exact', price_usd: priceUsd }
}

function toMeteredPrice({ maxCharge, rates }: Metering): Model['pricing'] {
  const { input, cached, output } = rates
  return {
    prompt: perToken(input),
    completion: perToken(output),
    request: '0',
    scheme: 'upto',
    price_usd: formatUsd(maxCharge),
    minimum_usd: MIN_CHARGE_USD,
    rates: { input: formatUsd(input), cached: formatUsd(cached), output: formatUsd(output) },
  }
}

/** Dollars per token, of micro-dollars per million tokens: twelve decimal places. */
function perToken(rate: AtomicUsdc): string {
  return `0.${rate.toString().padStart(12, '0')}`.replace(/0+$/, '')
}
