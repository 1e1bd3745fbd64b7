import type { Network } from '@tollbook/chain/network'
import type { FreeAnswer } from '@tollbook/endpoints/answer'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { cutText } from '@tollbook/flow/plain-text'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import { pageUrl } from '@tollbook/verify/published/links'
import * as z from 'zod'
import type { CatalogueEntry, CatalogueListing } from '../served/catalogue.ts'
import { rankedShape } from './ranking-routes.ts'
import { defineRead, JSON_TYPE } from './reads/define-read.ts'
import { address } from './reads/parameters.ts'
import type { ReportPorts } from './reads/ports.ts'

/** The limits of the largest public catalogue (CDP Bazaar). */
const MAX_ITEMS = 1000
const MAX_RESULTS = 100
const DEFAULT_ITEMS = 20
const MAX_QUERY_CHARACTERS = 400
const DESCRIPTION_CHARACTERS = 240
const MAX_SERVICE_NAME_CHARACTERS = 32
/** Required in the format; only the 402 response knows it. This is what most sellers offer. */
const TIMEOUT_SECONDS = 60

const filters = {
  type: z.string().optional().describe('`http` or `mcp`.'),
  payTo: address.optional().describe('Wallet that is paid.'),
  scheme: z.string().optional().describe('Payment scheme, such as `exact` or `upto`.'),
  network: z
    .string()
    .optional()
    .describe('All listings are on the network of this service, such as `eip155:8453`.'),
  extensions: z.string().optional().describe('A key of `extensions`, such as `tollbook`.'),
} as const
type Filters = z.output<z.ZodObject<typeof filters>>

const itemShape = z.object({
  resource: z.string(),
  type: z.enum(['http', 'mcp']),
  x402Version: z.union([z.literal(1), z.literal(2)]),
  accepts: z.array(
    z.looseObject({
      scheme: z.string(),
      network: z.string().describe('`eip155:8453`, or `base` in version 1.'),
      amount: z.string().optional().describe('Micro-USDC; the maximum of a metered scheme. Version 2.'),
      maxAmountRequired: z.string().optional().describe('The same in version 1.'),
      asset: z.string(),
      payTo: z.string(),
      maxTimeoutSeconds: z.int(),
      extra: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
  lastUpdated: z.iso.datetime(),
  description: z.string(),
  mimeType: z.string().optional(),
  serviceName: z.string().optional(),
  extensions: z.object({
    bazaar: z
      .looseObject({
        info: z.looseObject({
          input: z.looseObject({
            type: z.string(),
            method: z.string().optional(),
            toolName: z.string().optional(),
          }),
        }),
      })
      .optional(),
    tollbook: z.object({
      host_confirmed: z
        .boolean()
        .describe('Whether more than one party lists this host for the payee, or the payee confirms it.'),
      merchant: rankedShape
        .extend({ report: z.string() })
        .nullable()
        .describe('What the payee received in the newest window, for all its endpoints; null if nothing.'),
    }),
  }),
})
type Item = z.output<typeof itemShape>

const resources = defineRead({
  id: 'discovery-resources',
  path: '/discovery/resources',
  summary: 'Paid endpoints as an x402 Bazaar lists them, highest real revenue first',
  input: z.object({
    ...filters,
    limit: z.int().min(1).max(MAX_ITEMS).default(DEFAULT_ITEMS),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    x402Version: z.literal(2),
    items: z.array(itemShape),
    pagination: z.object({ limit: z.int(), offset: z.int(), total: z.int() }),
  }),
  example: { limit: 10 },
  async answer({ input, ports }) {
    const { limit, offset } = input
    const { entries } = await ports.catalogue()
    const found = entries.filter((entry) => isSelected(entry, input, ports))
    return answerJson(ports, {
      x402Version: 2,
      items: found.slice(offset, offset + limit).map((entry) => toItem(entry, ports)),
      pagination: { limit, offset, total: found.length },
    })
  },
})

const search = defineRead({
  id: 'discovery-search',
  path: '/discovery/search',
  summary: 'Search paid endpoints by what they do, as in an x402 Bazaar',
  input: z.object({
    query: z
      .string()
      .trim()
      .min(1)
      .max(MAX_QUERY_CHARACTERS)
      .describe('Words of a URL, name or description.'),
    ...filters,
    limit: z
      .int()
      .min(1)
      .default(DEFAULT_ITEMS)
      .transform((limit) => Math.min(limit, MAX_RESULTS))
      .describe('Advisory; at most 100.'),
    cursor: z
      .string()
      .regex(/^\d{1,6}$/, 'must be the cursor of the previous page')
      .default('0')
      .transform(Number)
      .describe('`pagination.cursor` of the previous page.'),
  }),
  output: z.object({
    x402Version: z.literal(2),
    resources: z.array(itemShape),
    partialResults: z.boolean().describe('Whether there are more.'),
    pagination: z.object({ limit: z.int(), cursor: z.string().nullable() }),
  }),
  example: { query: 'weather forecast' },
  async answer({ input, ports }) {
    const { query, limit, cursor } = input
    const catalogue = await ports.catalogue()
    const found = catalogue.search(query).filter((entry) => isSelected(entry, input, ports))
    const end = cursor + limit
    const hasMore = end < found.length
    return answerJson(ports, {
      x402Version: 2,
      resources: found.slice(cursor, end).map((entry) => toItem(entry, ports)),
      partialResults: hasMore,
      pagination: { limit, cursor: hasMore ? String(end) : null },
    })
  },
})

export const DISCOVERY_ENDPOINTS: readonly Endpoint[] = [resources, search]

function answerJson({ maxAgeSeconds }: ReportPorts, body: unknown): FreeAnswer {
  const content = toRenderedText(`${JSON.stringify(body)}\n`)
  return { kind: 'document', content, contentType: JSON_TYPE, maxAgeSeconds }
}

function isSelected(
  entry: CatalogueEntry,
  { type, payTo, scheme, network, extensions }: Filters,
  ports: ReportPorts,
): boolean {
  const { listing } = entry
  return (
    (type === undefined || toType(listing) === type) &&
    (payTo === undefined || listing.payTo === payTo) &&
    (scheme === undefined || listing.schemes[0] === scheme) &&
    (network === undefined || [ports.network.id, ports.network.nameV1].includes(network)) &&
    (extensions === undefined || Object.hasOwn(toExtensions(entry, ''), extensions))
  )
}

function toItem(entry: CatalogueEntry, { baseUrl, network }: ReportPorts): Item {
  const { listing, merchant, isHostConfirmed } = entry
  const mimeType = listing.offer?.mimeType
  const isNamed = isHostConfirmed && merchant?.name_confirmed === true
  return {
    resource: listing.resource,
    type: toType(listing),
    x402Version: listing.offer?.x402Version ?? 2,
    accepts: listing.offer ? [...listing.offer.accepts] : [toTerms(listing, network)],
    lastUpdated: listing.lastSeen.toISOString(),
    description: cutText(listing.description, DESCRIPTION_CHARACTERS),
    ...(mimeType !== undefined && { mimeType }),
    ...(isNamed && merchant.name.length <= MAX_SERVICE_NAME_CHARACTERS && { serviceName: merchant.name }),
    extensions: toExtensions(entry, baseUrl),
  }
}

/** The terms of a listing of which only the price is known. */
function toTerms(
  { schemes, price, payTo }: CatalogueListing,
  { id, usdc, usdcName, usdcVersion }: Network,
): Item['accepts'][number] {
  const [scheme = 'unknown'] = schemes
  return {
    scheme,
    network: id,
    amount: price.toString(),
    asset: usdc,
    payTo,
    maxTimeoutSeconds: TIMEOUT_SECONDS,
    extra: { name: usdcName, version: usdcVersion },
  }
}

function toExtensions(
  { listing, merchant, isHostConfirmed }: CatalogueEntry,
  baseUrl: string,
): Item['extensions'] {
  const { operation } = listing
  const input =
    toType(listing) === 'mcp' ? { type: 'mcp', toolName: operation } : { type: 'http', method: operation }
  return {
    ...(operation !== '' && { bazaar: listing.offer?.bazaar ?? { info: { input } } }),
    tollbook: {
      host_confirmed: isHostConfirmed,
      merchant: merchant && { ...merchant, report: pageUrl(baseUrl, merchant.address) },
    },
  }
}

/** An operation that is no HTTP method is the tool name of an MCP listing. */
function toType({ operation }: CatalogueEntry['listing']): Item['type'] {
  return operation === '' || /^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(operation) ? 'http' : 'mcp'
}
