import type { Address } from '@tollbook/chain/hex'
import { compareText } from '@tollbook/verify/build/compose-report'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import { toHealthRecord } from '@tollbook/verify/listings/merchant-listings'
import type { ReportInputs } from '@tollbook/verify/published/inputs'
import { toListings, toMaxPrice } from '@tollbook/verify/published/to-listings'
import type { Followed } from '@tollbook/verify/screen/flow/judge-flow'
import type { ClaimsAndListings } from '../claims/claims-and-listings.ts'
import type { Figures } from '../run/figures.ts'

/** A merchant's claims and listings as they are stored with its report, and what was found out about it. */
export type StoredInputs = Pick<
  ReportInputs,
  'claimed' | 'disclosed_wallets' | 'listings' | 'floor' | 'followed_wallets' | 'hubs'
> &
  Partial<Pick<ReportInputs, 'wallets' | 'listed_wallets' | 'max_price' | 'operator_wallets'>> & {
    readonly has_listed_payee: boolean
    /** Merchants in the ranking that counts each group once; only for groups. */
    readonly ranked_merchants?: number
  }

/** What only the report of a merchant group has. */
export type GroupInputs = NonNullable<Figures['groups']>['reports'][number]['group']

/** What was found out about a merchant besides its claims and listings. */
type FoundInputs = {
  readonly isListedPayee: boolean
  readonly followed: Followed
  readonly figures: Pick<MerchantFigures, 'floor'>
  /** Absent for a wallet. */
  readonly group?: GroupInputs | undefined
}

export function writeStoredInputs(
  own: ClaimsAndListings,
  { isListedPayee, followed, figures, group }: FoundInputs,
): string {
  const listings = own.listings.map((listing) => ({
    resource: listing.resource,
    host: listing.host,
    operation: listing.operation,
    price: String(listing.price),
    schemes: [...listing.schemes],
    ...(listing.health && { health: toHealthRecord(listing.health) }),
    description: listing.description,
  }))
  const stored: StoredInputs = {
    ...(group && {
      wallets: [...group.wallets],
      listed_wallets: [...group.listedWallets],
      ranked_merchants: group.rankedMerchants,
    }),
    claimed: own.isClaimed,
    disclosed_wallets: [...own.disclosedWallets],
    ...(own.operatorWallets.length > 0 && { operator_wallets: [...own.operatorWallets] }),
    ...(own.maxPrice !== null && { max_price: String(own.maxPrice) }),
    followed_wallets: [...followed.wallets],
    hubs: [...followed.hubs],
    has_listed_payee: isListedPayee,
    listings: listings.sort((a, b) => comparePrices(a.price, b.price) || compareText(a.resource, b.resource)),
    floor: String(figures.floor),
  }
  return JSON.stringify(stored)
}

/** The same inputs with the claim made or withdrawn. */
export function withClaim(text: string, isClaimed: boolean): string {
  return JSON.stringify({ ...parseStoredInputs(text), claimed: isClaimed })
}

export function parseStoredInputs(text: string): StoredInputs {
  return JSON.parse(text) as StoredInputs
}

/** Claims and listings in an earlier revision of a week. @param at when that revision was published. */
export function toClaimsAndListings(
  text: string,
  {
    address,
    confirmedName,
    at,
  }: { readonly address: Address; readonly confirmedName: string | null; readonly at: Date },
): ClaimsAndListings {
  const stored = parseStoredInputs(text)
  return {
    isClaimed: stored.claimed,
    disclosedWallets: stored.disclosed_wallets as Address[],
    operatorWallets: (stored.operator_wallets ?? []) as Address[],
    maxPrice: toMaxPrice(stored),
    vouchedNames: new Set(confirmedName === null ? [] : [confirmedName]),
    listings: toListings(stored).map((listing) => ({ ...listing, payTo: address, lastSeen: at })),
  }
}

function comparePrices(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}
