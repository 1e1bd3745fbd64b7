import type { Address } from '@tollbook/chain/hex'
import { toPricesByPayee } from '@tollbook/verify/listings/listed-prices'
import { SCREENS } from '@tollbook/verify/screen/screens'
import type { Method } from '../build/visible-payments.ts'
import type { ClaimsAndListings, OperatorWallets } from '../claims/claims-and-listings.ts'
import type { MerchantGroup } from '../claims/merchant-groups.ts'
import { readDisclosedWallets, readStatedPrices } from '../claims/stored-claims.ts'
import { listedPayees, listingsByPayTo } from '../listings/stored-listings.ts'
import type { State } from '../state/state.ts'

/** What a published week was computed from besides the chain. */
export type PublishedInputs = {
  /** What merchants had decided when the week was published first. */
  readonly claimsAndListings: ReadonlyMap<Address, ClaimsAndListings>
  readonly groups: readonly MerchantGroup[]
  /** The payees of listings then: what they made count stays counted. */
  readonly listedPayees: readonly Address[]
}

/** The rules as of now, with the claims and listings that they use. */
export async function readMethod(
  state: State,
  operatorWallets: OperatorWallets = new Map(),
): Promise<Method> {
  const disclosedWallets = new Map(await readDisclosedWallets(state))
  for (const [payee, wallets] of operatorWallets)
    disclosedWallets.set(payee, new Set([...(disclosedWallets.get(payee) ?? []), ...wallets]))
  const inputs = {
    disclosedWallets,
    listedPrices: toPricesByPayee(await listingsByPayTo(state), await readStatedPrices(state)),
    // Found in each window.
    flows: new Map(),
  }
  return { screens: SCREENS, inputs, listedPayees: await listedPayees(state) }
}

/** The rules for a published week: its claims and listings stay as they were, and so do the figures that depend on them. */
export function withPublished(
  method: Method,
  { claimsAndListings, listedPayees: payees }: PublishedInputs,
): Method {
  const stored = toPricesByPayee(
    [...claimsAndListings].map(([merchant, { listings }]) => [merchant, listings] as const),
    new Map([...claimsAndListings].map(([merchant, { maxPrice }]) => [merchant, maxPrice])),
  )
  const listedPrices = new Map([...method.inputs.listedPrices, ...stored])
  for (const merchant of claimsAndListings.keys()) if (!stored.has(merchant)) listedPrices.delete(merchant)
  const disclosedWallets = new Map(method.inputs.disclosedWallets)
  for (const [merchant, own] of claimsAndListings)
    disclosedWallets.set(merchant, new Set(own.disclosedWallets))
  return {
    ...method,
    inputs: { ...method.inputs, disclosedWallets, listedPrices },
    listedPayees: new Set([...method.listedPayees, ...payees]),
  }
}
