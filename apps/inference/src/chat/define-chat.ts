import { formatUsd } from '@tollbook/chain/usdc'
import {
  type Address,
  type Call,
  defineEndpoint,
  type Endpoint,
  type Selection,
} from '@tollbook/endpoints/endpoint'
import type { Pricing } from '@tollbook/gate/contract/paid-route'
import type { Issue } from '@tollbook/http/problem'
import type { Metering } from '@tollbook/models/tiers/metering'
import type { OpenTiers } from '@tollbook/models/tiers/open-tiers'
import { ALL_TIERS, DEFAULT_TIER, meteredNameOf, type Tier } from '@tollbook/models/tiers/tier-table'
import * as z from 'zod'
import type { InferencePorts } from '../ports.ts'
import { MIN_CHARGE_USD } from '../price.ts'
import { answerChat, toModelRequest } from './answer-chat.ts'
import { findBoundIssues } from './bound-input.ts'
import { availabilityOf, type ChatOffer, toChatOffer } from './chat-offer.ts'
import { countFetchedImages, MAX_FETCHED_IMAGES } from './inline-images.ts'
import { findLimitIssues } from './limits.ts'
import { findMessageIssues } from './messages.ts'
import { type ChatInput, findRefusedChatFields, isUndeclaredField, requestFields } from './request-fields.ts'

/** The body: several images in base64, or a text of millions of characters. The time: above that of any upstream, whose own failure is then reported. */
export const CHAT_LIMITS = { bodyBytes: 24 * 1024 * 1024, timeoutMs: 290_000 }

const completion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string().describe('The tier that answered.'),
  choices: z.array(
    z.looseObject({
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable().optional() }),
      finish_reason: z.string(),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int() }).optional(),
})

/** A path of a tier. */
export type ChatEndpoint = {
  readonly tier: Tier
  readonly id: string
  readonly path: `/${string}`
  readonly summary: string
  readonly variant?: Endpoint['variant']
  /** The operator's name for the tier, replacing its own. */
  readonly otherName?: string
  /** Whether it is charged by the token. */
  readonly isMetered?: boolean
  /** On a path without a tier, where `model` selects one: the path of a tier, its metered variant, or another name of the operator. */
  readonly pathOf?: (name: string) => string
}

/** Declares a path of a tier: at one price per call or by the token, as JSON or as a stream. */
export function defineChat({
  tier,
  id,
  path,
  summary,
  variant,
  otherName,
  isMetered = false,
  pathOf,
}: ChatEndpoint): Endpoint {
  const offer = toChatOffer(tier, isMetered, otherName)
  const opening = (ports: InferencePorts) => ports.tiers.get(tier.name)
  return defineEndpoint({
    id,
    method: 'POST',
    effect: 'none',
    path,
    summary,
    ...(variant && { variant }),
    pricing: pricingOf(tier, offer.meteringOf(undefined)),
    description: describe(tier, otherName ?? tier.name, isMetered),
    input: requestFields,
    output: completion,
    example: exampleOf(offer.name),
    limits: CHAT_LIMITS,
    dialect: 'chat',
    takesParameter: isUndeclaredField,
    check: (input, ports: InferencePorts) => findChatIssues(input, offer, ports.tiers),
    ...(pathOf && { selection: selectByModel(pathOf) }),
    availability: (ports) => availabilityOf(tier.name, opening(ports)),
    handle: (call: Call<ChatInput, InferencePorts, Address>) => answerChat(call, offer),
  })
}

/** How `model` selects the endpoint of a tier, by an id of the list of models. */
export function selectByModel(
  pathOf: (name: string) => string,
): Selection<{ readonly model?: unknown }, Pick<InferencePorts, 'tiers'>> {
  return {
    find: ({ model }, { tiers }) =>
      typeof model === 'string' && findTier(model, tiers) ? pathOf(model) : null,
    note: 'A model that is an id of /v1/models selects its terms; these are the terms of any other, of none, and of a body above 4 MiB, which is not read before its payment.',
  }
}

/** The price of a call of a tier, or the max of its metered variant. */
export function pricingOf({ priceUsd }: Tier, metering: Metering | null): Exclude<Pricing, { kind: 'free' }> {
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

/** Why a path cannot serve a request; checked before any payment. */
export function findChatIssues(input: ChatInput, offer: ChatOffer, tiers: OpenTiers): readonly Issue[] {
  const issues = [...findRefusedChatFields(input), ...findMessageIssues(input.messages)]
  if (issues.length > 0) return issues
  const { model } = input
  const { tier, name } = offer
  const opened = tiers.get(tier.name)
  const meant = model ? findTier(model, tiers) : null
  // Callers use the plain name of a metered path as the model.
  if (meant && (meant.tier !== tier || (meant.isMetered && !offer.isMetered))) {
    const detail = `must be the tier of the path, ${name}`
    issues.push({ parameter: 'model', detail })
  }
  if (input.stream_options && !input.stream) {
    issues.push({ parameter: 'stream_options', detail: 'requires stream true' })
  }
  if (countFetchedImages(input.messages) > MAX_FETCHED_IMAGES) {
    issues.push({
      parameter: 'messages',
      detail: `must reference at most ${MAX_FETCHED_IMAGES} images by URL`,
    })
  }
  const limits = offer.limitsOf(opened)
  const metering = offer.meteringOf(opened)
  issues.push(...findLimitIssues(input, limits), ...(metering ? findBoundIssues(input, metering) : []))
  return issues.length > 0 || !opened ? issues : opened.model.findUnserved(toModelRequest(input, limits))
}

/** The tier of a name, its own or another one of the operator, plain or metered; null for any other name. */
export function findTier(
  name: string,
  tiers: OpenTiers,
): { readonly tier: Tier; readonly isMetered: boolean } | null {
  for (const tier of ALL_TIERS) {
    const names = [tier.name, ...(tiers.get(tier.name)?.otherNames ?? [])]
    if (names.includes(name)) return { tier, isMetered: false }
    if (tier.upto && names.some((one) => meteredNameOf(one) === name)) return { tier, isMetered: true }
  }
  return null
}
