import { randomUUID } from 'node:crypto'
import type { Hex } from '@tollbook/chain/hex'
import { keccak } from '@tollbook/chain/keccak'
import { chainIdOf } from '@tollbook/chain/network'
import type { KeyedHash } from '../calls/keyed-hash.ts'
import type { OfferedRoute } from '../contract/offered-route.ts'
import type { PaymentRequirements } from '../contract/terms.ts'

/** The members of a challenge that differ between requests. */
export type MppInstance = {
  /** ISO 8601. */
  readonly expires: string
  /** Base64url of JSON; makes the challenges of one second different. */
  readonly opaque: string
}

/** The nonce of the authorization that answers a challenge (draft-evm-charge-00). */
export function nonceOfChallenge({ id, realm }: { readonly id: string; readonly realm: string }): Hex {
  return `0x${keccak(Buffer.from(id + realm)).toString('hex')}`
}

export type MppOffer = {
  readonly terms: PaymentRequirements
  /** The members that all challenges of the endpoint share; `request` is base64url of canonical JSON. */
  readonly fixed: Readonly<Record<'realm' | 'method' | 'intent' | 'request', string>>
  /** The id of a challenge of this endpoint, which nobody else can compute. */
  idOf(instance: MppInstance): string
  /** The value of `WWW-Authenticate`, of a length that is the same for all of its requests. */
  write(request: { readonly requestId: string; readonly now: Date }): string
}

/** Builds the charge of an endpoint with a fixed price (draft-evm-charge-00, credential type authorization). */
export function createMppOffer(
  terms: PaymentRequirements,
  route: Pick<OfferedRoute, 'service' | 'endpoint'> & { readonly keyedHash: KeyedHash },
): MppOffer {
  const { service, endpoint, keyedHash } = route
  // Its keys are in the order of RFC 8785.
  const request = {
    amount: terms.amount,
    currency: terms.asset,
    methodDetails: { chainId: chainIdOf(terms.network), credentialTypes: ['authorization'], decimals: 6 },
    recipient: terms.payTo,
  }
  const fixed = {
    realm: new URL(service.baseUrl).hostname,
    method: 'evm',
    intent: 'charge',
    request: Buffer.from(JSON.stringify(request)).toString('base64url'),
  }
  const parameters = Object.entries(fixed)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')
  const routeHash = keyedHash('mpp-route', [service.name, endpoint.id, ...Object.values(fixed)].join('|'))
  const idOf: MppOffer['idOf'] = ({ expires, opaque }) =>
    keyedHash('mpp-challenge', `${routeHash}|${expires}|${opaque}`)
  return {
    terms,
    fixed,
    idOf,
    write: ({ requestId, now }) => {
      const expires = toSecondText(Math.floor(now.getTime() / 1000) + terms.maxTimeoutSeconds)
      const opaque = Buffer.from(`{"request":"${requestId}"}`).toString('base64url')
      return `Payment id="${idOf({ expires, opaque })}", ${parameters}, expires="${expires}", opaque="${opaque}"`
    },
  }
}

/** The bytes of its header in a 402, with name and line end. */
export function measureMppHeader(offer: MppOffer): number {
  const value = offer.write({ requestId: randomUUID(), now: new Date() })
  return `www-authenticate: ${value}\r\n`.length
}

/** The newest second and its text: under load, many challenges expire in the same one. */
let second = { seconds: 0, text: '' }

/** Epoch seconds as ISO 8601. */
function toSecondText(seconds: number): string {
  if (second.seconds !== seconds) second = { seconds, text: new Date(seconds * 1000).toISOString() }
  return second.text
}
