import type { Address } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { ListedEndpoint } from '@tollbook/endpoints/discovery/listed-endpoint'
import { normaliseItem } from '@tollbook/endpoints/discovery/normalise-item'
import type { SettledListing, SettledOffer } from '@tollbook/endpoints/discovery/settled-listing'
import { toVisible } from '@tollbook/flow/plain-text'
import type { OfferedPayment } from '@tollbook/gate/payment'
import { isPublicHost } from '@tollbook/safe-fetch/public-host'
import * as z from 'zod'
import type { ListingPayers } from './listing-payers.ts'
import type { PaymentRequest } from './read-payment.ts'
import type { State } from './state/state.ts'

/** What became of the bazaar extension of a settled payment. */
export type ListingResult =
  | { readonly status: 'success' }
  | { readonly status: 'rejected'; readonly rejectedReason: string }

/** The endpoints that this facilitator settled for, as their payments describe them. */
export type Listings = {
  /** Null if the payment has no bazaar extension. */
  record(request: PaymentRequest, payment: OfferedPayment, amount: AtomicUsdc): Promise<ListingResult | null>
  read(): Promise<ReadonlyMap<Address, readonly SettledListing[]>>
  /** Changes with the listings. */
  version(): Promise<string>
}

const SOURCE = 'facilitator'
/** A listing that is sold all the time is written at most this often. */
const WRITE_MS = 60 * 60_000
/** A listing that was not sold for this long is deleted. */
const UNSOLD_MS = 30 * 24 * 60 * 60_000
/** Listings whose last write is in memory. */
const MAX_WRITTEN = 10_000
/** Chosen: far more than a seller has; a payee could otherwise fill the catalogue at a micro-dollar a line. */
const MAX_PER_PAYEE = 200
/** Chosen: listings in memory, of 20 kB at most; fresh wallets could otherwise fill it. */
const MAX_LISTINGS = 10_000
/** Chosen: JSON characters of terms and of a declaration; a header with more passes through few proxies. */
const MAX_OFFER = 16_384

const described = z.looseObject({
  resource: z.looseObject({ url: z.string().max(2_048), description: z.string().optional().catch('') }),
  extensions: z.looseObject({
    bazaar: z.looseObject({
      routeTemplate: z.string().max(500).startsWith('/').optional().catch(undefined),
      info: z.looseObject({
        input: z.union([
          z.looseObject({ type: z.literal('http'), method: z.string() }),
          z.looseObject({ type: z.literal('mcp'), toolName: z.string() }),
        ]),
      }),
    }),
  }),
})

export function createListings(parts: {
  readonly state: State
  readonly payers: ListingPayers
  readonly privateHosts: PrivateHosts
  readonly network: Network
  readonly clock: () => Date
}): Listings {
  const { state, payers, privateHosts, network, clock } = parts
  const written = new Map<string, number>()

  async function write(
    listing: ListedEndpoint & { readonly offer: string | null },
    nowMs: number,
  ): Promise<ListingResult> {
    const { resource, operation, host, payTo, price, schemes, description, offer } = listing
    const { count } = await state.db
      .selectFrom('facilitator_listing')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('pay_to', '=', payTo)
      .where('resource', '<>', resource)
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_PER_PAYEE) return rejected('too_many_resources')
    const content = {
      host,
      price: Number(price),
      schemes: schemes.join(','),
      description,
      offer,
      last_seen: nowMs,
    }
    await state.db
      .insertInto('facilitator_listing')
      .values({ pay_to: payTo, resource, operation, ...content })
      .onConflict((conflict) => conflict.columns(['pay_to', 'resource', 'operation']).doUpdateSet(content))
      .execute()
    await state.db
      .deleteFrom('facilitator_listing')
      .where('last_seen', '<', nowMs - UNSOLD_MS)
      .execute()
    return { status: 'success' }
  }

  return {
    async record(request, payment, amount) {
      const item = toItem(request, payment)
      if (item === null || 'status' in item) return item
      const [listing] = normaliseItem(item, clock(), network)
      if (!listing) return rejected('invalid_resource_url')
      if (!isListable(listing.resource, privateHosts)) return rejected('host_not_public')
      const nowMs = clock().getTime()
      const sale = { payTo: listing.payTo, host: listing.host, payer: payment.payer, amount }
      const key = JSON.stringify([listing.payTo, listing.resource, listing.operation, `${listing.price}`])
      if ((written.get(key) ?? 0) > nowMs - WRITE_MS) {
        payers.note(sale)
        return { status: 'success' }
      }
      const offer = toOffer(request, payment)
      const result = await write({ ...listing, offer }, nowMs)
      if (written.size >= MAX_WRITTEN) written.clear()
      if (result.status === 'success') {
        written.set(key, nowMs)
        payers.note(sale)
      }
      return result
    },
    async read() {
      const rows = await payers.readRanked(MAX_LISTINGS)
      const listings = rows.map(({ pay_to, price, schemes, last_seen, offer, ...row }) => ({
        ...row,
        // A row of an earlier release has none until the endpoint is sold again.
        ...(offer !== null && { offer: JSON.parse(offer) as SettledOffer }),
        payTo: pay_to as Address,
        price: BigInt(price),
        schemes: schemes.split(','),
        lastSeen: new Date(last_seen),
        source: SOURCE,
      }))
      return Map.groupBy(listings, ({ payTo }) => payTo)
    },
    async version() {
      const row = await state.db
        .selectFrom('facilitator_listing')
        .select(({ fn }) => [fn.max('last_seen').as('at'), fn.countAll().as('listings')])
        .executeTakeFirstOrThrow()
      return `${row.at} ${row.listings} ${await payers.version()}`
    },
  }
}

/** `loopback`: of this machine, whose services sell on a local chain. */
export type PrivateHosts = 'none' | 'loopback' | 'any'

/** Nobody else can call the host of a private network, whoever gets it listed. */
export function isListable(resource: string, allowed: PrivateHosts): boolean {
  const { hostname } = new URL(resource)
  if (allowed === 'any' || isPublicHost(hostname)) return true
  return allowed === 'loopback' && /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/.test(hostname)
}

/** A payment with its description, as an item of a Bazaar. */
function toItem(
  { paymentPayload, paymentRequirements }: PaymentRequest,
  { terms }: OfferedPayment,
): object | ListingResult | null {
  if (paymentPayload.x402Version === 1)
    return paymentRequirements.outputSchema ? { resource: '', accepts: [paymentRequirements] } : null
  const { extensions } = paymentPayload
  if (typeof extensions !== 'object' || extensions === null || !('bazaar' in extensions)) return null
  const parsed = described.safeParse(paymentPayload)
  if (!parsed.success) return rejected(`invalid: ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
  const { resource, extensions: declared } = parsed.data
  const url = URL.parse(resource.url)
  if (!url) return rejected('invalid_resource_url')
  const { routeTemplate } = declared.bazaar
  // A call's own arguments are no part of its endpoint.
  const endpoint = `${url.origin}${routeTemplate ?? url.pathname}`
  return { ...parsed.data, resource: endpoint, description: resource.description, accepts: [terms] }
}

/** What the seller offered, as it came, as JSON; without the declaration, or null, if that is too long. */
function toOffer(
  { paymentPayload, paymentRequirements }: PaymentRequest,
  { terms }: OfferedPayment,
): string | null {
  const { x402Version } = paymentPayload
  // The requirements of an `upto` settlement have the charge.
  const accepts = x402Version === 1 ? paymentRequirements : { ...paymentRequirements, amount: terms.amount }
  const { resource, extensions } = described.safeParse(paymentPayload).data ?? {}
  const mimeType = typeof resource?.mimeType === 'string' ? resource.mimeType : undefined
  const offer: SettledOffer = { x402Version, accepts: [accepts], mimeType }
  const texts = [{ ...offer, bazaar: extensions?.bazaar }, offer].map((each) =>
    toVisible(JSON.stringify(each)),
  )
  return texts.find((text) => text.length <= MAX_OFFER) ?? null
}

function rejected(rejectedReason: string): ListingResult {
  return { status: 'rejected', rejectedReason }
}
