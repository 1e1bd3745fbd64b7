import { buildPaymentRequired } from '@tollbook/gate/challenge/payment-required'
import {
  buildFreeTerms,
  buildPaymentTerms,
  type PaymentRequirements,
  type SellerTerms,
} from '@tollbook/gate/contract/terms'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { toIssues } from '../arguments/zod-issues.ts'
import type { Endpoint } from '../endpoint.ts'
import { answerTypeOf } from '../json-schema.ts'
import { toOfferedRoute } from '../routes/offered-route.ts'
import { listOffered } from '../routes/read-availability.ts'
import { MCP_PATH, resourceUrlOf, type Service } from '../service.ts'
import { describeService } from './money-note.ts'

/** One resource of a discovery answer in x402 version 2 (specs/x402-specification-v2.md, discovery). */
export type DiscoveryItem = {
  readonly resource: string
  readonly type: 'http'
  readonly x402Version: 2
  readonly accepts: readonly PaymentRequirements[]
  readonly lastUpdated: string
  readonly description: string
  readonly mimeType: string
  readonly serviceName?: string
  readonly tags?: readonly string[]
  readonly iconUrl?: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

export type DiscoveryAnswer = {
  readonly x402Version: 2
  readonly items: readonly DiscoveryItem[]
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number }
}

/** As CDP Bazaar, the largest public catalogue; x402's section 8.1 names 100. */
const MAX_PAGE_SIZE = 1000

const whole = z
  .string()
  .regex(/^-?\d+$/, 'must be a whole number')
  .transform(Number)
const pageShape = z.object({
  limit: whole.pipe(z.int().min(1).max(MAX_PAGE_SIZE)).default(20),
  offset: whole.pipe(z.int().min(0)).default(0),
})

/**
 * Entries for discovery catalogues, with amount 0 for free endpoints (specification 4.5); none without a
 * seller. Omitted are endpoints that are not configured, and `upto` alone until the settling wallet is
 * known.
 */
export function buildDiscoveryItems(
  service: Service,
  seller: SellerTerms | undefined,
  updatedAt: Date,
): readonly DiscoveryItem[] {
  if (!seller) return []
  return listOffered(service)
    .filter((endpoint) => endpoint.pricing.kind === 'free' || buildPaymentTerms(endpoint, seller).length > 0)
    .map((endpoint) => toItem(endpoint, { service, seller, updatedAt }))
}

/** One page; other parameters are ignored. @throws ProblemError `invalid_request` for limit and offset. */
export function pageDiscovery(items: readonly DiscoveryItem[], query: URLSearchParams): DiscoveryAnswer {
  const { limit, offset } = readPage(query)
  const type = query.get('type')
  const payTo = query.get('payTo')?.toLowerCase()
  const scheme = query.get('scheme')
  const network = query.get('network')
  const found = items.filter(
    (item) =>
      (type === null || item.type === type) &&
      item.accepts.some(
        (terms) =>
          (payTo === undefined || terms.payTo.toLowerCase() === payTo) &&
          (scheme === null || terms.scheme === scheme) &&
          (network === null || terms.network === network),
      ),
  )
  return {
    x402Version: 2,
    items: found.slice(offset, offset + limit),
    pagination: { limit, offset, total: found.length },
  }
}

/** `/.well-known/x402` (x402scan, docs/DISCOVERY.md): paid resources on sale, and who signs offers. */
export function buildWellKnown(service: Service, signerId?: string): Record<string, unknown> {
  const { ownershipProofs } = service.profile ?? {}
  const paid = listOffered(service).filter((endpoint) => endpoint.pricing.kind !== 'free')
  return {
    version: 1,
    ...(service.tools && { mcp: `${service.baseUrl}${MCP_PATH}` }),
    resources: [...new Set(paid.map((endpoint) => resourceUrlOf(service, endpoint)))],
    ...(signerId !== undefined && { offerSigner: signerId }),
    ...(ownershipProofs && { ownershipProofs }),
    instructions: `${describeService(service)} See ${service.baseUrl}/llms.txt for how to call and pay.`,
  }
}

type Seen = { readonly service: Service; readonly seller: SellerTerms; readonly updatedAt: Date }

function toItem(endpoint: Endpoint, { service, seller, updatedAt }: Seen): DiscoveryItem {
  const common = { type: 'http', x402Version: 2, lastUpdated: updatedAt.toISOString() } as const
  if (endpoint.pricing.kind === 'free') {
    return {
      ...common,
      resource: resourceUrlOf(service, endpoint),
      accepts: buildFreeTerms(endpoint, seller),
      description: endpoint.description,
      mimeType: answerTypeOf(endpoint),
    }
  }
  const { resource, accepts, extensions } = buildPaymentRequired(toOfferedRoute(service, endpoint), seller)
  const { url, ...described } = resource
  return { ...common, resource: url, accepts, ...described, extensions }
}

function readPage(query: URLSearchParams): z.output<typeof pageShape> {
  const input = { limit: query.get('limit') ?? undefined, offset: query.get('offset') ?? undefined }
  const parsed = pageShape.safeParse(input)
  if (parsed.success) return parsed.data
  const issues = toIssues(parsed.error.issues, input)
  const sentences = issues.map(({ parameter, detail }) => `${parameter} ${detail}`)
  throw new ProblemError({ code: 'invalid_request', detail: `${sentences.join('; ')}.`, issues })
}
