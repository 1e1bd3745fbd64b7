import facilitators from './data/base-facilitators.json' with { type: 'json' }
import type { Address } from './payment.ts'

/** Which list of facilitators is in use; part of the method. */
export const FACILITATOR_LIST = 'x402scan e85e6727'

/** Settlement wallets of facilitators on Base, and the given ones. */
export function knownFacilitators(more: readonly string[] = []): ReadonlySet<Address> {
  const addresses = [...facilitators.map(({ address }) => address), ...more]
  return new Set(addresses.map((address) => address.toLowerCase() as Address))
}
