import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier'
import type { Endpoint } from '../endpoint.ts'
import { buildOutputSchema } from '../json-schema.ts'
import { resourceUrlOf, type Service } from '../service.ts'
import { buildPaymentTerms, type PaymentRequirements, type SellerTerms } from '../terms.ts'
import { buildDiscoveryVariants } from './discovery-declaration.ts'
import { measureOffers } from './signed-offers.ts'

/** A resource in a 402 of version 2 (specs/x402-specification-v2.md, ResourceInfo). */
type ResourceInfo = {
  readonly url: string
  readonly description: string
  readonly mimeType: string
  readonly serviceName: string
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

/** A challenge and its header, without signed offers; both are the same for every call of an endpoint. */
export type Challenge = { readonly paymentRequired: PaymentRequired; readonly header: string }

/** Without signed offers and sign-in. Proxies accept 4 to 8 kB, and clients send extensions back. */
const MAX_HEADER_BYTES = 6000
/** The extension `sign-in-with-x` of endpoints whose purchases may be repeated. */
const SIGN_IN_BYTES = 1600
/** With both, where the shortest form allows it: a payment that echoes all of it is below 8 kB. */
const MAX_SIGNED_BYTES = 7000
/** Max length of a name in discovery catalogues (specs/extensions/bazaar.md). */
const MAX_SERVICE_NAME_LENGTH = 32

/**
 * Builds an endpoint's challenge with as much of the example answer as fits.
 * @throws RangeError when even the shortest form is too large, or there is no way to pay.
 */
export function buildChallenge(endpoint: Endpoint, service: Service, seller: SellerTerms): Challenge {
  const accepts = buildPaymentTerms(endpoint, seller)
  if (accepts.length === 0) throw new RangeError(`${endpoint.id} has no payment option`)
  const { tags, iconUrl } = service.profile ?? {}
  const resource: ResourceInfo = {
    url: resourceUrlOf(service, endpoint),
    description: endpoint.description,
    mimeType: answerTypeOf(endpoint),
    serviceName: service.title.slice(0, MAX_SERVICE_NAME_LENGTH),
    ...(tags && { tags }),
    ...(iconUrl && { iconUrl }),
  }
  const offersBytes = seller.signer ? measureOffers(seller.signer, { url: resource.url, accepts }) : 0
  const addedBytes = offersBytes + (endpoint.repeatAccess ? SIGN_IN_BYTES : 0)
  let shortest: Challenge | undefined
  for (const bazaar of buildDiscoveryVariants(endpoint)) {
    const extensions = {
      bazaar,
      [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false),
      ...(accepts.some((terms) => terms.scheme === 'upto') && GAS_SPONSORING),
    }
    const paymentRequired: PaymentRequired = { x402Version: 2, resource, accepts, extensions }
    const header = encodePaymentRequired(paymentRequired)
    shortest = { paymentRequired, header }
    if (header.length < MAX_HEADER_BYTES && header.length + addedBytes < MAX_SIGNED_BYTES) return shortest
  }
  if (shortest && shortest.header.length < MAX_HEADER_BYTES) return shortest
  throw new RangeError(`${endpoint.id}: its PAYMENT-REQUIRED header has ${MAX_HEADER_BYTES} bytes or more`)
}

/** The value of the header `PAYMENT-REQUIRED`: base64 of the JSON (specs/transports-v2/http.md). */
export function encodePaymentRequired(paymentRequired: PaymentRequired): string {
  return Buffer.from(JSON.stringify(paymentRequired)).toString('base64')
}

/** The media type of an answer: JSON, unless the output's schema names another. */
export function answerTypeOf(endpoint: Endpoint): string {
  const { contentMediaType } = buildOutputSchema(endpoint)
  return typeof contentMediaType === 'string' ? contentMediaType : 'application/json'
}

const ADDRESS = '^0x[a-fA-F0-9]{40}$'
const WHOLE = '^[0-9]+$'

/**
 * The facilitator accepts an EIP-2612 permit for Permit2: `upto` needs no earlier allowance
 * (specs/extensions/eip2612_gas_sponsoring.md). `@x402/extensions` itself takes over a second to load.
 */
export const GAS_SPONSORING = {
  eip2612GasSponsoring: {
    info: {
      description: 'The facilitator accepts EIP-2612 gasless Permit to `Permit2` canonical contract.',
      version: '1',
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        from: { type: 'string', pattern: ADDRESS, description: 'The address of the sender.' },
        asset: { type: 'string', pattern: ADDRESS, description: 'The address of the ERC-20 token contract.' },
        spender: {
          type: 'string',
          pattern: ADDRESS,
          description: 'The address of the spender (Canonical Permit2).',
        },
        amount: {
          type: 'string',
          pattern: WHOLE,
          description: 'The amount to approve (uint256). Typically MaxUint.',
        },
        nonce: { type: 'string', pattern: WHOLE, description: 'The current nonce of the sender.' },
        deadline: {
          type: 'string',
          pattern: WHOLE,
          description: 'The timestamp at which the signature expires.',
        },
        signature: {
          type: 'string',
          pattern: '^0x[a-fA-F0-9]+$',
          description: 'The 65-byte concatenated signature (r, s, v) as a hex string.',
        },
        version: {
          type: 'string',
          pattern: '^[0-9]+(\\.[0-9]+)*$',
          description: 'Schema version identifier.',
        },
      },
      required: ['from', 'asset', 'spender', 'amount', 'nonce', 'deadline', 'signature', 'version'],
    },
  },
} as const
