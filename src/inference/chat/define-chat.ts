import * as z from 'zod'
import {
  type Address,
  type Call,
  defineEndpoint,
  type Endpoint,
  type Pricing,
} from '../../catalogue/endpoint.ts'
import { formatUsd } from '../../money/usdc.ts'
import { MIN_CHARGE_USD } from '../min-charge.ts'
import type { InferencePorts } from '../ports.ts'
import { answerChat } from './answer-chat.ts'
import { availabilityOf } from './availability.ts'
import { toChatOffer } from './chat-offer.ts'
import { findChatFaults } from './find-chat-faults.ts'
import type { Metering } from './metering.ts'
import { type ChatInput, isUndeclaredField, requestFields } from './request-fields.ts'
import { DEFAULT_TIER, type Tier } from './tier-table.ts'

/** Several images in base64, or a text of millions of characters. */
const MAX_BODY_BYTES = 24 * 1024 * 1024
/** Above the max timeout of an upstream, so that the upstream's own failure is reported. */
const TIMEOUT_MS = 290_000

const completion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string().describe('The tier that answered.'),
  choices: z.array(
    z.looseObject({ message: z.looseObject({ role: z.literal('assistant') }), finish_reason: z.string() }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int() }).optional(),
})

type ChatEndpoint = {
  readonly tier: Tier
  readonly id: string
  readonly path: `/${string}`
  readonly summary: string
  readonly variant?: Endpoint['variant']
  /** The operator's name for the tier, replacing its own. */
  readonly alias?: string
  /** Whether it is charged by the token. */
  readonly isMetered?: boolean
}

/** Declares a path of a tier: at one price per call or by the token, as JSON or as a stream. */
export function defineChat({
  tier,
  id,
  path,
  summary,
  variant,
  alias,
  isMetered = false,
}: ChatEndpoint): Endpoint {
  const offer = toChatOffer(tier, isMetered, alias)
  const opening = (ports: InferencePorts) => ports.tiers.get(tier.name)
  return defineEndpoint({
    id,
    method: 'POST',
    effect: 'none',
    path,
    summary,
    ...(variant && { variant }),
    pricing: pricingOf(tier, offer.meteringOf(undefined)),
    description: describe(tier, alias ?? tier.name, isMetered),
    input: requestFields,
    output: completion,
    example: exampleOf(offer.name),
    limits: { bodyBytes: MAX_BODY_BYTES, timeoutMs: TIMEOUT_MS },
    dialect: 'chat',
    takesParameter: isUndeclaredField,
    check: (input, ports: InferencePorts) => findChatFaults(input, offer, ports.tiers),
    availability: (ports) => availabilityOf(tier.name, opening(ports)),
    handle: (call: Call<ChatInput, InferencePorts, Address>) => answerChat(call, offer),
  })
}

function pricingOf({ priceUsd }: Tier, metering: Metering | null): Exclude<Pricing, { kind: 'free' }> {
  if (!metering) return { kind: 'exact', priceUsd }
  const max = formatUsd(metering.maxCharge)
  return { kind: 'metered', priceUsd: max, minimumUsd: MIN_CHARGE_USD, isExactFirst: false }
}

function describe({ constraints }: Tier, name: string, isMetered: boolean): string {
  const what = `hat completion from ${name === DEFAULT_TIER.name ? 'the default model' : `the model of ${name}`}, whole or streamed, with tools, JSON schema and images.`
  const said = isMetered ? `Metered c${what} Charged by the token at the rates of /v1/models.` : `C${what}`
  return `${said} ${constraints}`.trim()
}

function exampleOf(model: string) {
  return {
    input: { messages: [{ role: 'user' as const, content: 'Say hello.' }] },
    output: {
      id: 'chatcmpl-5c3f',
      object: 'chat.completion' as const,
      created: 1_795_255_200,
      model,
      choices: [
        { index: 0, message: { role: 'assistant' as const, content: 'Hello!' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
    },
  }
}
