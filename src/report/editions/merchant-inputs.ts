import type { Address } from '../../chain/hex.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { compareText } from '../build/compose-report.ts'
import type { MerchantFigures } from '../build/figures.ts'
import type { MerchantReport } from '../build/merchant-report.ts'
import type { Listing } from '../listings/listing.ts'
import { toHealthRecord } from '../listings/merchant-listings.ts'
import type { Followed } from '../screen/flow/judge-flow.ts'
import type { ReportInputs } from './inputs.ts'

/** The parts of a report that the merchant decides and not the chain. */
export type MerchantSide = {
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

/** The merchant's side as it is stored with its report. */
export type StoredSide = Pick<
  ReportInputs,
  'claimed' | 'disclosed_wallets' | 'listings' | 'floor' | 'followed_wallets' | 'hubs'
> &
  Partial<Pick<ReportInputs, 'wallets' | 'listed_wallets' | 'max_price' | 'operator_wallets'>> & {
    readonly has_listed_payee: boolean
    /** Merchants in the ranking that counts each operator once; only for operators. */
    readonly ranked_merchants?: number
  }

/** What only the report of an operator has. */
export type OperatorInputs = {
  readonly host: string
  readonly wallets: readonly Address[]
  readonly listedWallets: readonly Address[]
  /** How many merchants there are if each operator counts once. */
  readonly rankedMerchants: number
}

/** What a publication found out about a merchant besides its side. */
export type FoundInputs = {
  readonly isListedPayee: boolean
  readonly followed: Followed
  readonly figures: Pick<MerchantFigures, 'floor'>
  /** Absent for a wallet. */
  readonly operator?: OperatorInputs | undefined
}

/** A wallet about which only on-chain data is available. */
export const UNKNOWN_MERCHANT: MerchantSide = Object.freeze({
  isClaimed: false,
  disclosedWallets: [],
  operatorWallets: [],
  maxPrice: null,
  listings: [],
  vouchedNames: new Set<string>(),
})

/** Whether a report's name is confirmed: its wallet claims the report, or independent sources agree. */
export function isNameConfirmed(
  side: MerchantSide,
  { name, address }: Pick<MerchantReport, 'name' | 'address'>,
) {
  return name !== address && (side.isClaimed || side.vouchedNames.has(name))
}

export function writeSide(
  side: MerchantSide,
  { isListedPayee, followed, figures, operator }: FoundInputs,
): string {
  const listings = side.listings.map((listing) => ({
    resource: listing.resource,
    host: listing.host,
    operation: listing.operation,
    price: String(listing.price),
    schemes: [...listing.schemes],
    ...(listing.health && { health: toHealthRecord(listing.health) }),
    description: listing.description,
  }))
  const stored: StoredSide = {
    ...(operator && {
      wallets: [...operator.wallets],
      listed_wallets: [...operator.listedWallets],
      ranked_merchants: operator.rankedMerchants,
    }),
    claimed: side.isClaimed,
    disclosed_wallets: [...side.disclosedWallets],
    ...(side.operatorWallets.length > 0 && { operator_wallets: [...side.operatorWallets] }),
    ...(side.maxPrice !== null && { max_price: String(side.maxPrice) }),
    followed_wallets: [...followed.wallets],
    hubs: [...followed.hubs],
    has_listed_payee: isListedPayee,
    listings: listings.sort((a, b) => comparePrices(a.price, b.price) || compareText(a.resource, b.resource)),
    floor: String(figures.floor),
  }
  return JSON.stringify(stored)
}

/** The same side with the claim made or withdrawn. */
export function withClaim(text: string, isClaimed: boolean): string {
  return JSON.stringify({ ...parseStoredSide(text), claimed: isClaimed })
}

export function parseStoredSide(text: string): StoredSide {
  return JSON.parse(text) as StoredSide
}

/** A merchant's side in an earlier revision of a week. @param at when that revision was published. */
export function readSide(
  text: string,
  {
    address,
    confirmedName,
    at,
  }: { readonly address: Address; readonly confirmedName: string | null; readonly at: Date },
): MerchantSide {
  const stored = parseStoredSide(text)
  return {
    isClaimed: stored.claimed,
    disclosedWallets: stored.disclosed_wallets as Address[],
    operatorWallets: (stored.operator_wallets ?? []) as Address[],
    maxPrice: toMaxPrice(stored),
    vouchedNames: new Set(confirmedName === null ? [] : [confirmedName]),
    listings: toListings(stored, { payTo: address, lastSeen: at }),
  }
}

/** The highest price in the claim of a report as its inputs state it. */
export function toMaxPrice({ max_price: price }: Pick<ReportInputs, 'max_price'>): AtomicUsdc | null {
  return price === undefined ? null : BigInt(price)
}

export function toListings(
  { listings }: Pick<ReportInputs, 'listings'>,
  seen: Pick<Listing, 'payTo' | 'lastSeen'>,
): readonly Listing[] {
  return listings.map(({ price, schemes = ['exact'], health, ...listing }) => ({
    ...listing,
    ...seen,
    price: BigInt(price),
    schemes,
    ...(health && { health: { ...health, since: new Date(health.since) } }),
  }))
}

function comparePrices(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}
