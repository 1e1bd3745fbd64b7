import type { Address } from '@tollbook/chain/hex'
import { BASE, type Network } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { toPlainText } from '@tollbook/flow/plain-text'
import * as z from 'zod'
import type { ListedEndpoint } from './listed-endpoint.ts'

const NOBODY = `0x${'0'.repeat(40)}`
/** Fifteen digits of micro-USDC are a billion dollars and stay below 2^53. */
const AMOUNT = /^\d{1,15}$/
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d+)?$/
const MAX_RESOURCE_LENGTH = 2048
const MAX_DESCRIPTION_LENGTH = 4000
/** More ways to pay than any seller has; each payee is a listing with its own copy of the description. */
const MAX_ACCEPTS = 100

// Everything except the price is optional and of any type: one unusual item must not affect the others.
const text = z.string().catch('')
const scheme = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/)
  .catch('unknown')
const input = z.object({ method: text, toolName: text, tool: text }).partial().catch({})
const acceptShape = z.object({
  scheme,
  network: text,
  asset: text,
  payTo: text,
  /** Version 2. */
  amount: z.union([z.string(), z.number()]).optional().catch(undefined),
  /** Version 1. */
  maxAmountRequired: z.union([z.string(), z.number()]).optional().catch(undefined),
  resource: text,
  description: text,
  outputSchema: z.object({ input }).partial().catch({}),
})
const itemShape = z.object({
  /** A URL, or in a challenge of version 2 an object that describes it. */
  resource: z
    .union([
      z.string().transform((url) => ({ url, description: '' })),
      z.object({ url: text, description: text }),
    ])
    .catch({ url: '', description: '' }),
  accepts: z
    .array(z.unknown())
    .transform((all) => all.slice(0, MAX_ACCEPTS))
    .pipe(z.array(acceptShape.nullable().catch(null))),
  description: text,
  method: text,
  metadata: z.object({ description: text, method: text }).partial().catch({}),
  extensions: z
    .object({
      bazaar: z
        .object({ info: z.object({ input }).partial().catch({}) })
        .partial()
        .catch({}),
    })
    .partial()
    .catch({}),
  lastUpdated: z.union([z.string(), z.number()]).optional().catch(undefined),
})
type Item = z.output<typeof itemShape>
type Accept = z.output<typeof acceptShape>

/**
 * Reads an item of a discovery response, x402 version 1 or 2: a listing per payee that takes USDC on the
 * network, by default Base, or none.
 * @param readAt when the source was read: `lastSeen` of an item without a time, or with one in the future.
 */
export function normaliseItem(
  value: unknown,
  readAt: Date,
  network: Network = BASE,
): readonly ListedEndpoint[] {
  const parsed = itemShape.safeParse(value)
  if (!parsed.success) return []
  const item = parsed.data
  const offers = item.accepts.flatMap((accept) => {
    if (accept === null || !isPaidOn(network, accept)) return []
    const listing = toListing(item, accept, readAt)
    return listing ? [{ scheme: accept.scheme, price: listing.price, listing }] : []
  })
  const byPayee = Map.groupBy(offers, ({ listing }) => listing.payTo)
  return [...byPayee.values()].flatMap((own) => {
    const chosen = chooseOffer(own)
    if (!chosen) return []
    const schemes = new Set([chosen.scheme, ...own.map(({ scheme }) => scheme)])
    return { ...chosen.listing, schemes: [...schemes] }
  })
}

/** Under either of its names, in versions 1 and 2. */
function isPaidOn({ id, nameV1, usdc }: Network, { network, asset }: Accept): boolean {
  return [id, nameV1].includes(network.toLowerCase()) && asset.toLowerCase() === usdc.toLowerCase()
}

function toListing(item: Item, accept: Accept, readAt: Date): Omit<ListedEndpoint, 'schemes'> | null {
  const amount = String(accept.amount ?? accept.maxAmountRequired ?? '')
  const url = readResource(item.resource.url || accept.resource)
  const payTo = readAddress(accept.payTo)
  if (!AMOUNT.test(amount) || !url || !payTo) return null
  return {
    resource: url.href,
    host: url.host,
    payTo,
    price: BigInt(amount),
    description: readDescription(item, accept),
    operation: readOperation(item, accept),
    lastSeen: readTime(item.lastUpdated, readAt),
  }
}

function readDescription(item: Item, accept: Accept): string {
  const texts = [item.description, item.resource.description, accept.description, item.metadata.description]
  const described = texts.map((text) => toPlainText((text ?? '').slice(0, MAX_DESCRIPTION_LENGTH)))
  return described.find((text) => text !== '') ?? ''
}

function readResource(resource: string): URL | null {
  const url = resource.length <= MAX_RESOURCE_LENGTH ? URL.parse(resource) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  url.hash = ''
  // With or without the dot of the root, it is the same host.
  url.hostname = url.hostname.replace(/\.$/, '')
  return HOST.test(url.host) ? url : null
}

function readAddress(address: string): Address | null {
  const lower = address.toLowerCase()
  return /^0x[0-9a-f]{40}$/.test(lower) && lower !== NOBODY ? (lower as Address) : null
}

function readOperation(item: Item, accept: Accept): string {
  const input = item.extensions.bazaar?.info?.input ?? accept.outputSchema.input ?? {}
  const tool = input.toolName || input.tool
  const operation = tool || (input.method || item.method || item.metadata.method || '').toUpperCase()
  return toPlainText(operation.slice(0, 100))
}

function readTime(time: string | number | undefined, readAt: Date): Date {
  const seen = time === undefined ? readAt : new Date(time)
  return Number.isNaN(seen.getTime()) || seen.getTime() < 0 || seen > readAt ? readAt : seen
}

/** One way to pay for an endpoint. */
type Offer = {
  /** `exact`, `upto`, or a later scheme. */
  readonly scheme: string
  readonly price: AtomicUsdc
}

/**
 * Chooses among ways to pay one payee by the minimum cost of a call: `exact` before metered schemes, lower
 * prices first, the first of equals. An amount of 0 means a free endpoint, and counts only without another
 * amount.
 */
function chooseOffer<Each extends Offer>(offers: readonly Each[]): Each | null {
  const [best] = [...offers].sort(compareOffers)
  return best ?? null
}

function compareOffers(a: Offer, b: Offer): number {
  const [first, second] = [rank(a), rank(b)]
  if (first !== second) return first - second
  return a.price === b.price ? 0 : a.price < b.price ? -1 : 1
}

function rank({ scheme, price }: Offer): number {
  return (price === 0n ? 2 : 0) + (scheme === 'exact' ? 0 : 1)
}
