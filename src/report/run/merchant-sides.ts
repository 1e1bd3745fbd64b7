import type { Address } from '../../chain/hex.ts'
import type { State } from '../../state/state.ts'
import type { WalletProofs } from '../claims/operators.ts'
import { readClaimedWallets, readStatedPrices } from '../claims/stored-claims.ts'
import { listingsByPayTo } from '../listings/stored-listings.ts'
import { readVouchedNames } from '../listings/vouched-names.ts'
import type { MerchantSide } from '../publish/merchant/merchant-inputs.ts'

type SideParts = {
  readonly disclosedWallets: ReadonlyMap<Address, ReadonlySet<Address>>
  /** Base URLs of the operator's own services. */
  readonly ownSources: readonly string[]
}

/** What is known of merchants besides the chain: claims, disclosed wallets, listings. */
export async function readMerchantSides(
  state: State,
  { disclosedWallets, ownSources }: SideParts,
): Promise<ReadonlyMap<Address, MerchantSide & WalletProofs>> {
  const listings = await listingsByPayTo(state)
  const vouched = await readVouchedNames(state, ownSources)
  const claimed = await readClaimedWallets(state)
  const stated = await readStatedPrices(state)
  const merchants = new Set([...listings.keys(), ...claimed])
  return new Map(
    [...merchants].map((merchant) => [
      merchant,
      {
        isClaimed: claimed.has(merchant),
        maxPrice: stated.get(merchant) ?? null,
        listings: listings.get(merchant) ?? [],
        vouchedNames: vouched.get(merchant) ?? new Set(),
        disclosedWallets: [...(disclosedWallets.get(merchant) ?? [])].sort(),
      },
    ]),
  )
}
