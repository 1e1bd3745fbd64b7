import type { Endpoint } from '../../catalogue/endpoint.ts'
import type { Service } from '../../catalogue/service.ts'
import type { PaymentRequirements } from '../../catalogue/terms.ts'
import { BASE } from '../../money/base.ts'
import type { KeyedHash } from '../ledger/keyed-hash.ts'

/** The fields of a challenge that its id is bound to; all are sent back with the payment. */
export type MppChallenge = {
  readonly realm: string
  readonly method: string
  readonly intent: string
  /** Base64url of canonical JSON. */
  readonly request: string
  /** ISO 8601. */
  readonly expires: string
  /** Base64url of JSON; makes the challenges of one second different. */
  readonly opaque: string
}

/** The MPP terms of one endpoint. */
export type MppOffer = {
  readonly terms: PaymentRequirements
  /** The members of a challenge that are the same in all of them. */
  readonly fixed: Pick<MppChallenge, 'realm' | 'method' | 'intent' | 'request'>
  /** The id of a challenge of this endpoint, which nobody else can compute. */
  idOf(challenge: MppChallenge): string
}

/** Builds the charge of an endpoint with a fixed price (draft-evm-charge-00, credential type authorization). */
export function createMppOffer(
  terms: PaymentRequirements,
  route: { readonly service: Service; readonly endpoint: Endpoint; readonly keyedHash: KeyedHash },
): MppOffer {
  const { service, endpoint, keyedHash } = route
  // Its keys are in the order of RFC 8785.
  const request = {
    amount: terms.amount,
    currency: terms.asset,
    methodDetails: { chainId: BASE.chainId, credentialTypes: ['authorization'], decimals: 6 },
    recipient: terms.payTo,
  }
  const place = `${service.name}/${endpoint.id}`
  return {
    terms,
    fixed: {
      realm: new URL(service.baseUrl).hostname,
      method: 'evm',
      intent: 'charge',
      request: Buffer.from(JSON.stringify(request)).toString('base64url'),
    },
    idOf: ({ realm, method, intent, request, expires, opaque }) =>
      keyedHash('mpp-challenge', [place, realm, method, intent, request, expires, opaque].join('|')),
  }
}
