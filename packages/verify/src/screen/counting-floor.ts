import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { ListedPrices, ScreenInputs } from './screen.ts'

/** Micro-USDC: a thousandth of a dollar, for merchants without fixed prices. */
export const DEFAULT_FLOOR = 1_000n

type Prices = Pick<ScreenInputs, 'listedPrices'>

/**
 * The amount from which on a payment counts, and its sender as a buyer. Smaller ones are in sums of dollars
 * only: a stranger could falsify counts, percentiles and ranks for a few cents.
 */
export function floorOf(merchant: Address, { listedPrices }: Prices): AtomicUsdc {
  return listedPrices.get(merchant)?.floor ?? DEFAULT_FLOOR
}

/** What a merchant was paid in a window, and how much of it by payments below its floor. */
export type PaidBelow = { readonly sum: AtomicUsdc; readonly below: AtomicUsdc }

/**
 * Prices with the default floor if most of the dollars are below the listed one: then the listings are not those of
 * what the merchant sells. A stranger could otherwise list a high price for a wallet, and no payment to it would count.
 */
export function limitFloor(prices: ListedPrices, { sum, below }: PaidBelow): ListedPrices {
  return prices.floor > DEFAULT_FLOOR && 2n * below > sum ? { ...prices, floor: DEFAULT_FLOOR } : prices
}
