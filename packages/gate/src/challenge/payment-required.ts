import type { DiscoveryDeclaration, OfferedRoute } from '../contract/offered-route.ts'
import { measureOffers } from '../contract/signed-offers.ts'
import { buildPaymentTerms, type PaymentRequirements, type SellerTerms } from '../contract/terms.ts'

/** A resource in a 402 of version 2 (specs/x402-specification-v2.md, ResourceInfo). */
type ResourceInfo = {
  readonly url: string
  readonly mimeType: string
  readonly description?: string
  readonly serviceName?: string
  readonly tags?: readonly string[]
  readonly iconUrl?: string
}

export type PaymentRequired = {
  readonly x402Version: 2
  readonly error?: string
  readonly resource: ResourceInfo
  readonly accepts: readonly PaymentRequirements[]
  readonly extensions: Readonly<Record<string, unknown>>
}

/** With everything that catalogues show of a resource. */
export type FullPaymentRequired = PaymentRequired & {
  readonly resource: ResourceInfo & Required<Pick<ResourceInfo, 'description' | 'serviceName'>>
}

/** What an endpoint is sold for: the same for all of its calls, without signed offers and sign-in. */
export type Challenge = {
  /** What bodies and catalogues show: with the description and the whole declaration. */
  readonly full: FullPaymentRequired
  /** What the header of a 402 shows: the same terms, and of the rest as much as proxies let pass. */
  readonly paymentRequired: PaymentRequired
  /** Its value. */
  readonly header: string
  /** Of 402 answers that have further headers: terms and declaration as in the header, and nothing else. */
  readonly brief: PaymentRequired
  /** How many of the signed offers the header has room for. */
  readonly headerOffers: number
}

/** What else the head of an endpoint's 402 has, and has to fit. */
export type Besides = {
  /** The header of MPP. */
  readonly headerBytes: number
  /** The JSON of the extension `sign-in-with-x`, which is different in each 402. */
  readonly signInBytes: number
}

/** By default nginx reads the head of an answer into 4,096 bytes (proxy_buffer_size). */
const MAX_HEAD_BYTES = 4_000
/** The status line and all headers of a 402 but those of its payment: measured 484. */
const OTHER_HEADERS_BYTES = 490
/** `request-id` of the messages dialect. */
const REQUEST_ID_BYTES = 50
/** A refusal has its reason, and the state of a channel or a failed settlement; a page has a policy for its content. */
const MAX_REFUSAL_BYTES = 560
/** Of the declaration in bodies and catalogues. */
const MAX_FULL_BYTES = 6_000
/** Max length of a name in discovery catalogues (specs/extensions/bazaar.md). */
const MAX_SERVICE_NAME_LENGTH = 32

/** @throws RangeError when there is no way to pay. */
export function buildPaymentRequired(
  { service, endpoint, resourceUrl, discovery }: OfferedRoute,
  seller: SellerTerms,
): FullPaymentRequired {
  const accepts = buildPaymentTerms(endpoint, seller)
  if (accepts.length === 0) throw new RangeError(`${endpoint.id} has no payment option`)
  const { tags, iconUrl } = service.profile ?? {}
  const resource = {
    url: resourceUrl,
    description: endpoint.description,
    mimeType: discovery.answerType(),
    serviceName: service.title.slice(0, MAX_SERVICE_NAME_LENGTH),
    ...(tags && { tags }),
    ...(iconUrl && { iconUrl }),
  }
  const bazaar = Iterator.from(discovery.declarations()).find((variant) => sizeOf(variant) <= MAX_FULL_BYTES)
  const extensions = {
    ...(bazaar && { bazaar }),
    [PAYMENT_IDENTIFIER]: IDENTIFIER_DECLARATION,
    ...(accepts.some((terms) => terms.scheme === 'upto') && GAS_SPONSORING),
  }
  return { x402Version: 2, resource, accepts, extensions }
}

/**
 * Builds an endpoint's challenge. Its header always has the terms and a declaration; the rest of the room is filled with,
 * in this order, the first signed offer, sentences of the description, the service's name, tags and icon, further offers,
 * and a fuller declaration.
 * @throws RangeError when not even the terms fit, or there is no way to pay.
 */
export function buildChallenge(
  offered: OfferedRoute,
  seller: SellerTerms,
  { headerBytes, signInBytes }: Besides = { headerBytes: 0, signInBytes: 0 },
): Challenge {
  const { endpoint, discovery } = offered
  const full = buildPaymentRequired(offered, seller)
  const { url, mimeType, description, ...ofService } = full.resource
  const sizeOfOffers = (count: number) =>
    seller.signer && count > 0 ? measureOffers({ url, accepts: full.accepts.slice(0, count) }) : 0
  const write = ({ bazaar, resource }: Content): PaymentRequired => {
    return { ...full, resource: { url, mimeType, ...resource }, extensions: { ...full.extensions, bazaar } }
  }
  // Four characters of base64 are three bytes.
  const others = OTHER_HEADERS_BYTES + (endpoint.dialect === 'messages' ? REQUEST_ID_BYTES : 0) + headerBytes
  const room = Math.floor((MAX_HEAD_BYTES - others) / 4) * 3
  const fits = (content: Content) =>
    sizeOf(write(content)) + sizeOfOffers(content.offers) + signInBytes <= room &&
    sizeOf(write({ ...content, resource: {} })) + MAX_REFUSAL_BYTES <= room
  const [bazaar, ...fuller] = [...discovery.declarations()].reverse() as [
    DiscoveryDeclaration,
    ...DiscoveryDeclaration[],
  ]
  let content: Content = { bazaar, resource: {}, offers: 0 }
  if (sizeOf(write(content)) + signInBytes > room)
    throw new RangeError(`${endpoint.id}: its terms and declaration do not fit into PAYMENT-REQUIRED`)
  const offerMore = (now: Content) => ({ ...now, offers: now.offers + 1 })
  const describe = (more: Content['resource']) => (now: Content) => {
    return { ...now, resource: { ...now.resource, ...more } }
  }
  for (const add of [
    ...(seller.signer ? [offerMore] : []),
    ...toBeginnings(description).map((beginning) => describe({ description: beginning })),
    ...Object.entries(ofService).map(([name, value]) => describe({ [name]: value })),
    ...(seller.signer ? full.accepts.slice(1).map(() => offerMore) : []),
    ...fuller.map((variant) => (now: Content) => ({ ...now, bazaar: variant })),
  ]) {
    const more = add(content)
    if (fits(more)) content = more
  }
  const paymentRequired = write(content)
  return {
    full,
    paymentRequired,
    header: encodePaymentRequired(paymentRequired),
    brief: write({ ...content, resource: {} }),
    headerOffers: content.offers,
  }
}

/** What may differ in length. */
type Content = {
  readonly bazaar: DiscoveryDeclaration
  readonly resource: Partial<ResourceInfo>
  readonly offers: number
}

/** The first sentence of a text, the first two, and so on. */
function toBeginnings(text: string): readonly string[] {
  const ends = [...text.matchAll(/[.;] /g)].map(({ index }) => index + 1)
  return [...ends, text.length].map((end) => text.slice(0, end))
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** The value of the header `PAYMENT-REQUIRED`: base64 of the JSON (specs/transports-v2/http.md). */
export function encodePaymentRequired(paymentRequired: PaymentRequired): string {
  return Buffer.from(JSON.stringify(paymentRequired)).toString('base64')
}

/** The extension by which a client names its payment. */
const PAYMENT_IDENTIFIER = 'payment-identifier'
/** The client adds an id to `info` (specs/extensions/payment_identifier.md). */
const IDENTIFIER_DECLARATION = {
  info: { required: false },
  schema: { type: 'object', properties: { id: { type: 'string', minLength: 16, maxLength: 128 } } },
} as const

/**
 * The facilitator accepts an EIP-2612 permit for Permit2: `upto` needs no earlier allowance
 * (specs/extensions/eip2612_gas_sponsoring.md).
 */
export const GAS_SPONSORING = {
  eip2612GasSponsoring: {
    info: {
      description: 'The facilitator accepts EIP-2612 gasless Permit to `Permit2` canonical contract.',
      version: '1',
    },
    schema: {
      type: 'object',
      required: ['from', 'asset', 'spender', 'amount', 'nonce', 'deadline', 'signature', 'version'],
    },
  },
} as const
