import type { Address } from '@tollbook/chain/hex'
import type { FieldFigures, MerchantFigures } from '@tollbook/verify/build/figures'
import type { Window } from '@tollbook/verify/build/window'
import type { Followed } from '@tollbook/verify/screen/flow/judge-flow'
import type { ClaimsAndListings } from '../claims/claims-and-listings.ts'
import type { MerchantGroup } from '../claims/merchant-groups.ts'

/** What was computed for a window: everything that its reports are composed of. */
export type Figures = {
  /** `rolling`, `rolling-30`, or for a published week the UTC date of `window.end`, such as `2026-11-15`. */
  readonly edition: string
  readonly window: Window
  /** Version of the rules (payment rule and screens) that produced the figures. */
  readonly methodVersion: string
  /** Highest real revenue first, then number of passing payments, then address: the order of the ranks. */
  readonly merchants: readonly MerchantFigures[]
  /** All merchants together; absent where nothing shows them. */
  readonly field?: FieldFigures
  /** Merchants with several wallets; absent: none. */
  readonly groups?: GroupFigures
  /** Of the merchants for which there is data besides the chain. */
  readonly claimsAndListings: ReadonlyMap<Address, ClaimsAndListings>
  /** Wallets through which money was followed; absent: none for any merchant. */
  readonly followed?: ReadonlyMap<Address, Followed>
}

/** The figures of merchant groups, and the ranking in which each counts once. */
export type GroupFigures = {
  readonly reports: readonly GroupReportFigures[]
  /** Whether everything was read that the screens need for groups, too. */
  readonly isComplete: boolean
  /** By address: groups, and wallets without a group. */
  readonly ranks: ReadonlyMap<string, number | null>
}

type GroupReportFigures = {
  /** Their address is the key of the group. */
  readonly figures: MerchantFigures
  readonly claimsAndListings: ClaimsAndListings
  readonly followed: Followed
  readonly group: MerchantGroup & {
    readonly listedWallets: readonly Address[]
    /** How many merchants there are if each group counts once. */
    readonly rankedMerchants: number
  }
}
