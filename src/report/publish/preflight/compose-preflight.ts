import type { Address } from '../../../chain/hex.ts'
import { toExactUsdNumber } from '../../../money/usdc.ts'
import type { MerchantReport } from '../../build/merchant-report.ts'
import { isUnhealthy } from '../../listings/endpoint-health.ts'
import { toHealthRecord } from '../../listings/merchant-listings.ts'
import type { ListedOffer } from '../../listings/stored-listings.ts'

/** The terms of a 402 response, before they are paid. */
export type Terms = {
  readonly payTo: Address
  readonly resource: string | undefined
  /** Micro-USDC. */
  readonly amount: bigint | undefined
}

/** What is unusual about the terms of a payment, for a client that decides without a person. */
export const NOTES = {
  unknown_wallet: 'No x402 payment to this wallet was found in the window, and no listing names it.',
  no_payments: 'No x402 payment to this wallet was found in the window.',
  not_listed: 'No catalogue lists this resource.',
  other_payee: 'Catalogues list this resource with another payee.',
  price_above_listing: 'The amount is above every listed price of this resource for this wallet.',
  unhealthy_endpoint:
    'The last unpaid request to this resource did not get a 402 with the listed terms; see health.',
  mostly_flagged: 'Less than half of the reported dollars pass the screens.',
  one_buyer: 'One buyer paid at least 90 % of the reported dollars.',
} as const

export type Note = keyof typeof NOTES

const MOSTLY = 0.5
const ONE_BUYER = 0.9

/** Compares the terms of a payment with what is known about their payee and resource. */
export function findNotes(
  { payTo, resource, amount }: Terms,
  known: { readonly report: MerchantReport | null; readonly offers: readonly ListedOffer[] },
): readonly Note[] {
  const { report, offers } = known
  const own = offers.filter((offer) => offer.payTo === payTo)
  const isListed = own.length > 0 || (report?.bazaar_listings.length ?? 0) > 0
  const notes: Note[] = []
  if (!report) notes.push(isListed ? 'no_payments' : 'unknown_wallet')
  if (resource !== undefined && offers.length === 0) notes.push('not_listed')
  if (offers.length > 0 && own.length === 0) notes.push('other_payee')
  if (amount !== undefined && own.length > 0 && own.every(({ price }) => amount > price))
    notes.push('price_above_listing')
  if (own.some(({ health }) => health && isUnhealthy(health.state))) notes.push('unhealthy_endpoint')
  if (report && report.real_usd < MOSTLY * report.usd) notes.push('mostly_flagged')
  if (report && report.top_buyer_share >= ONE_BUYER) notes.push('one_buyer')
  return notes
}

/** The answer of `GET /preflight`. */
export function composePreflight(
  terms: Terms,
  known: {
    readonly report: MerchantReport | null
    readonly isNameConfirmed: boolean
    readonly offers: readonly ListedOffer[]
  },
) {
  const { report, isNameConfirmed, offers } = known
  return {
    pay_to: terms.payTo,
    resource: terms.resource ?? null,
    notes: findNotes(terms, known).map((code) => ({ code, text: NOTES[code] })),
    merchant: report && {
      name: report.name,
      name_confirmed: isNameConfirmed,
      claimed: report.claimed,
      window: report.window,
      tx: report.tx,
      usd: report.usd,
      real_tx: report.real_tx,
      real_usd: report.real_usd,
      buyers: report.buyers,
      real_buyers: report.real_buyers,
      top_buyer_share: report.top_buyer_share,
      flags: report.flags,
      rank_by_real_revenue: report.rank_by_real_revenue,
      page: report.page,
    },
    listings: offers.map(({ payTo, price, health }) => ({
      pay_to: payTo,
      price_usd: toExactUsdNumber(price),
      health: health ? toHealthRecord(health) : null,
    })),
  }
}
