import type { Address } from '@tollbook/chain/hex'
import list from './data/base-facilitators.json' with { type: 'json' }

/** The bundled list of facilitators; part of the method. */
export const FACILITATOR_LIST = list.version

/** A settlement wallet, with the name of its facilitator. */
export type KnownFacilitator = { readonly facilitator: string; readonly address: Address }

/** The bundled list, with names. */
export function bundledFacilitators(): readonly KnownFacilitator[] {
  return list.facilitators.map(({ facilitator, address }) => ({
    facilitator,
    address: address.toLowerCase() as Address,
  }))
}

/** Settlement wallets of facilitators on Base, plus additional ones. */
export function knownFacilitators(more: readonly string[] = []): ReadonlySet<Address> {
  const addresses = [...list.facilitators.map(({ address }) => address), ...more]
  return new Set(addresses.map((address) => address.toLowerCase() as Address))
}
