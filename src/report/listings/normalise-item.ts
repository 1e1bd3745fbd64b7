import * as z from 'zod'
import { BASE } from '../../money/base.ts'
import type { Address } from '../chain/payment.ts'
import type { Listing } from './listing.ts'
import { toPlainText } from './plain-text.ts'

/** The names of Base in x402 versions 1 and 2. */
const NETWORKS: ReadonlySet<string> = new Set(['base', BASE.network])
const USDC = BASE.usdc.toLowerCase()
const NOBODY = `0x${'0'.repeat(40)}`
/** Fifteen digits of micro-USDC are a billion dollars and stay below 2^53. */
const AMOUNT = /^\d{1,15}$/
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d+)?$/
const LONGEST_RESOURCE = 2048
const LONGEST_DESCRIPTION = 4000

// Everything beside the price is optional and of any form: one odd item must not cost the others.
const text = z.string().catch('')
const input = z.object({ method: text, toolName: text, tool: text }).partial().catch({})
const acceptShape = z.object({
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
  resource: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).catch(''),
  accepts: z.array(acceptShape.nullable().catch(null)),
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
 * Reads one item of a discovery answer, x402 version 1 or 2, into one listing a payee. Ways to pay on other
 * networks or in other tokens are left out; of several for one payee the first counts, as the seller's choice.
 * @param readAt when the source was read: `lastSeen` of an item that tells no time, or one to come.
 * @returns none for what is no item, or has no way to pay in USDC on Base.
 */
export function normaliseItem(value: unknown, readAt: Date): readonly Listing[] {
  const parsed = itemShape.safeParse(value)
  if (!parsed.success) return []
  const item = parsed.data
  const byPayee = new Map<Address, Listing>()
  for (const accept of item.accepts) {
    const listing = accept && toListing(item, accept, readAt)
    if (listing && !byPayee.has(listing.payTo)) byPayee.set(listing.payTo, listing)
  }
  return [...byPayee.values()]
}

function toListing(item: Item, accept: Accept, readAt: Date): Listing | null {
  if (!NETWORKS.has(accept.network) || accept.asset.toLowerCase() !== USDC) return null
  const amount = String(accept.amount ?? accept.maxAmountRequired ?? '')
  const url = readResource(item.resource || accept.resource)
  const payTo = readAddress(accept.payTo)
  if (!AMOUNT.test(amount) || !url || !payTo) return null
  const described = accept.description || item.metadata.description || ''
  return {
    resource: url.href,
    host: url.host,
    payTo,
    price: BigInt(amount),
    description: toPlainText((item.description || described).slice(0, LONGEST_DESCRIPTION)),
    operation: readOperation(item, accept),
    lastSeen: readTime(item.lastUpdated, readAt),
  }
}

function readResource(resource: string): URL | null {
  const url = resource.length <= LONGEST_RESOURCE ? URL.parse(resource) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  url.hash = ''
  return HOST.test(url.host) ? url : null
}

function readAddress(address: string): Address | null {
  const lower = address.toLowerCase()
  return /^0x[0-9a-f]{40}$/.test(lower) && lower !== NOBODY ? (lower as Address) : null
}

function readOperation(item: Item, accept: Accept): string {
  const told = item.extensions.bazaar?.info?.input ?? accept.outputSchema.input ?? {}
  const tool = told.toolName || told.tool
  const operation = tool || (told.method || item.method || item.metadata.method || '').toUpperCase()
  return toPlainText(operation.slice(0, 100))
}

function readTime(time: string | number | undefined, readAt: Date): Date {
  const told = time === undefined ? readAt : new Date(time)
  return Number.isNaN(told.getTime()) || told.getTime() < 0 || told > readAt ? readAt : told
}
