const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const PRICE = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
})
const COUNT = new Intl.NumberFormat('en-US')
const SHARE = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 })
const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A report's sum in dollars, for people: `$1,234.50`. */
export function showDollars(usd: number): string {
  return DOLLARS.format(usd)
}

/** Dollars of a number of payments, for people; a sum above zero that rounds to zero is shown as `<$0.01`. */
export function showSum(usd: number, tx: number): string {
  return usd === 0 && tx > 0 ? `<${DOLLARS.format(0.01)}` : DOLLARS.format(usd)
}

/** Dollars of one payment or one call, for people, up to six decimals: `$0.0025`. */
export function showPrice(usd: number): string {
  return PRICE.format(usd)
}

export function showCount(count: number): string {
  return COUNT.format(count)
}

/** A fraction between 0 and 1 as percent with at most one decimal: `93.4%`. */
export function showShare(share: number): string {
  return SHARE.format(share)
}

/** The share of dollars that passes; a dash where the sum is too small to tell. */
export function showPassing(share: number | null): string {
  return share === null ? '–' : SHARE.format(share)
}

/** A date YYYY-MM-DD on an axis: `Nov 14`. */
export function showDay(date: string): string {
  return DAY.format(new Date(`${date}T00:00:00Z`))
}

/** The first and last characters of an address, as wallets show them. */
export function showAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}

/** An ISO 8601 time of a report, for people, to the minute: `2026-11-15 12:00 UTC`. */
export function showTime(time: string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
