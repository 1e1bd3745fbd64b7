import type { Address } from '@tollbook/chain/hex'
import { nameOf, toName } from '@tollbook/verify/listings/merchant-listings'
import type { Wallets } from '@tollbook/verify/published/group-key'
import type { SourcedListing } from '../listings/listing.ts'
import { isOwnListing } from '../listings/stored-listings.ts'

/** A merchant with several wallets. Columns, and `by` of rankings until 2.0, call it an operator. */
export type MerchantGroup = {
  /** Host of its listings, without `www.`. */
  readonly host: string
  /** Two to 1,000, ascending. */
  readonly wallets: Wallets
}

/** Chosen: bounds what a host that lists ever more wallets costs. The others stay alone. */
const MAX_WALLETS = 1_000

export type WalletProofs = {
  readonly listings: readonly SourcedListing[]
  /** Names that more than one party lists for it. */
  readonly vouchedNames: ReadonlySet<string>
}

/**
 * Groups wallets by merchant. A wallet belongs to the host of most of its listings, if more than one party
 * lists it there and the host alone names it, so that nobody can attach a stranger's wallet; else to that of
 * a wallet with which it exchanged claims. @param disclosedWallets by the wallet that signed
 */
export function findMerchantGroups(
  proofs: ReadonlyMap<Address, WalletProofs>,
  disclosedWallets: ReadonlyMap<Address, ReadonlySet<Address>>,
): readonly MerchantGroup[] {
  const hosts = new Map<Address, string>()
  // In one order, so that a wallet that could join two hosts always joins the same.
  for (const [wallet, { listings, vouchedNames }] of [...proofs].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const naming = new Set(listings.filter(isOwnListing).map((listing) => toName(listing.host)))
    const [host = ''] = naming
    const isProven = nameOf(wallet, listings) === host && vouchedNames.has(host)
    if (naming.size === 1 && isProven) hosts.set(wallet, host)
  }
  // Wallets that are added here are visited, too: a chain of claims may be long.
  for (const [wallet, host] of hosts)
    for (const other of disclosedWallets.get(wallet) ?? [])
      if (!hosts.has(other) && disclosedWallets.get(other)?.has(wallet)) hosts.set(other, host)
  return [...Map.groupBy(hosts.keys(), (wallet) => hosts.get(wallet) ?? '')]
    .flatMap(([host, wallets]) => {
      const [first, ...others] = wallets.sort().slice(0, MAX_WALLETS)
      return first === undefined || others.length === 0
        ? []
        : [{ host, wallets: [first, ...others] as const }]
    })
    .sort((a, b) => (a.host < b.host ? -1 : 1))
}
