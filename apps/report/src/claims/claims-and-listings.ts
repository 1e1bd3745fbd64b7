import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Listing } from '../listings/listing.ts'
import { listingsByPayTo } from '../listings/stored-listings.ts'
import { readVouchedNames } from '../listings/vouched-names.ts'
import type { State } from '../state/state.ts'
import type { MerchantGroup, WalletProofs } from './merchant-groups.ts'
import { readClaimedWallets, readStatedPrices } from './stored-claims.ts'

/** The parts of a report that the merchant decides and not the chain. */
export type ClaimsAndListings = {
  readonly isClaimed: boolean
  /** Wallets that the merchant, or the operator for it, disclosed as its own, ascending. */
  readonly disclosedWallets: readonly Address[]
  /** Those of them that the operator's settings name, ascending. */
  readonly operatorWallets: readonly Address[]
  /** The highest price that its claim states; null when it states none. */
  readonly maxPrice: AtomicUsdc | null
  readonly listings: readonly Listing[]
  /** Names that more than one party lists for it. */
  readonly vouchedNames: ReadonlySet<string>
}

/** Wallets with which the operator pays its own services, by payee; what they pay is `self_pay`. */
export type OperatorWallets = ReadonlyMap<Address, readonly Address[]>

/** Of a wallet about which only on-chain data is available. */
export const NO_CLAIMS_OR_LISTINGS: ClaimsAndListings = Object.freeze({
  isClaimed: false,
  disclosedWallets: [],
  operatorWallets: [],
  maxPrice: null,
  listings: [],
  vouchedNames: new Set<string>(),
})

type Sources = {
  readonly disclosedWallets: ReadonlyMap<Address, ReadonlySet<Address>>
  readonly operatorWallets: OperatorWallets
  /** Base URLs of the operator's own services. */
  readonly ownSources: readonly string[]
}

/** What is known of merchants besides the chain: claims, disclosed wallets, listings. */
export async function readClaimsAndListings(
  state: State,
  { disclosedWallets, operatorWallets, ownSources }: Sources,
): Promise<ReadonlyMap<Address, ClaimsAndListings & WalletProofs>> {
  const listings = await listingsByPayTo(state)
  const vouched = await readVouchedNames(state, ownSources)
  const claimed = await readClaimedWallets(state)
  const stated = await readStatedPrices(state)
  const merchants = new Set([...listings.keys(), ...claimed, ...operatorWallets.keys()])
  return new Map(
    [...merchants].map((merchant) => [
      merchant,
      {
        isClaimed: claimed.has(merchant),
        maxPrice: stated.get(merchant) ?? null,
        listings: listings.get(merchant) ?? [],
        vouchedNames: vouched.get(merchant) ?? new Set(),
        disclosedWallets: [...(disclosedWallets.get(merchant) ?? [])].sort(),
        operatorWallets: [...(operatorWallets.get(merchant) ?? [])].sort(),
      },
    ]),
  )
}

/** Of a group: what any of its wallets disclosed, listed or stated. Claimed if all of them are. */
export function uniteClaimsAndListings(
  { host, wallets }: MerchantGroup,
  ofWallets: ReadonlyMap<Address, ClaimsAndListings>,
): ClaimsAndListings {
  const all = wallets.map((wallet) => ofWallets.get(wallet) ?? NO_CLAIMS_OR_LISTINGS)
  return {
    isClaimed: all.every(({ isClaimed }) => isClaimed),
    disclosedWallets: [...new Set([...wallets, ...all.flatMap((each) => each.disclosedWallets)])].sort(),
    operatorWallets: [...new Set(all.flatMap((each) => each.operatorWallets))].sort(),
    maxPrice: all.reduce<AtomicUsdc | null>(
      (highest, { maxPrice }) => (maxPrice !== null && maxPrice > (highest ?? 0n) ? maxPrice : highest),
      null,
    ),
    listings: all.flatMap(({ listings }) => listings),
    vouchedNames: new Set([host]),
  }
}

/** Whether a report's name is confirmed: its wallet claims the report, or independent sources agree. */
export function isNameConfirmed(
  { isClaimed, vouchedNames }: ClaimsAndListings,
  { name, address }: { readonly name: string; readonly address: string },
): boolean {
  return name !== address && (isClaimed || vouchedNames.has(name))
}
