import * as z from 'zod'
import { ProblemError } from '../../http/problem.ts'
import { toFaults } from '../arguments/zod-faults.ts'
import { answerTypeOf, buildChallenge } from '../challenge/payment-required.ts'
import type { Endpoint } from '../endpoint.ts'
import { listOffered } from '../routes/read-availability.ts'
import { MCP_PATH, resourceUrlOf, type Service } from '../service.ts'
import { buildFreeTerms, buildPaymentTerms, type PaymentRequirements, type SellerTerms } from '../terms.ts'

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

/**
 * The limit of the largest public catalogue (CDP Bazaar); the specification of x402 names 100, in its section
 * 8.1.
 */
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
 * Builds the entries of a service for discovery catalogues. A free endpoint has amount 0, because merchants'
 * listings show it with price 0 (specification 4.5). Omitted are endpoints that are not configured, and those
 * that can be paid only by `upto` until the facilitator has reported its settling wallet. Without a seller the
 * list is empty.
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

/**
 * One page of the items. Unknown parameters are ignored, because catalogues have further filters.
 * @throws ProblemError `invalid_request` for a limit or offset outside its range.
 */
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

/**
 * The body of `/.well-known/x402`: every paid resource that is sold, once (x402scan, docs/DISCOVERY.md), and
 * whose signatures offers and receipts have.
 */
export function buildWellKnown(service: Service, signerId?: string): Record<string, unknown> {
  const { ownershipProofs } = service.profile ?? {}
  const paid = listOffered(service).filter((endpoint) => endpoint.pricing.kind !== 'free')
  return {
    version: 1,
    ...(service.tools && { mcp: `${service.baseUrl}${MCP_PATH}` }),
    resources: [...new Set(paid.map((endpoint) => resourceUrlOf(service, endpoint)))],
    ...(signerId !== undefined && { offerSigner: signerId }),
    ...(ownershipProofs && { ownershipProofs }),
    instructions: `${service.description} See ${service.baseUrl}/llms.txt for how to call and pay.`,
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
  const { resource, accepts, extensions } = buildChallenge(endpoint, service, seller).paymentRequired
  const { url, ...described } = resource
  return { ...common, resource: url, accepts, ...described, extensions }
}

function readPage(query: URLSearchParams): z.output<typeof pageShape> {
  const input = { limit: query.get('limit') ?? undefined, offset: query.get('offset') ?? undefined }
  const parsed = pageShape.safeParse(input)
  if (parsed.success) return parsed.data
  const faults = toFaults(parsed.error.issues, input)
  const sentences = faults.map(({ parameter, detail }) => `${parameter} ${detail}`)
  throw new ProblemError({ code: 'invalid_request', detail: `${sentences.join('; ')}.`, faults })
}
