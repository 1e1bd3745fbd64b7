import { type AtomicUsdc, formatUsd, parseUsd } from '@tollbook/chain/usdc'

/** The highest price of a merchant as a resource of the text that its wallet signs (a data URL, RFC 2397). */
export function toPriceResource(maxPrice: AtomicUsdc): string {
  return `data:application/json,${encodeURIComponent(JSON.stringify({ max_price_usd: formatUsd(maxPrice) }))}`
}

/** The highest price that a resource of a signed text states; null if it states none. */
export function readPriceResource(resource: string): AtomicUsdc | null {
  const [, usd] =
    /^data:application\/json,%7B%22max_price_usd%22%3A%22([\d.]{1,20})%22%7D$/.exec(resource) ?? []
  return usd === undefined ? null : parseUsd(usd)
}
