/** Integer micro-USDC, the atomic unit of the USDC contract (6 decimals). Never negative for a payment. */
export type AtomicUsdc = bigint

/** A decimal string of dollars with at most six decimals, such as `0.002237`. */
export type UsdText = string

const ATOMIC_PER_USD = 1_000_000n
const ATOMIC_PER_CENT = 10_000n

/**
 * Converts dollars to micro-USDC without rounding.
 * @throws RangeError when the text is no plain decimal or has more than six decimals.
 * @example parseUsd('0.002237') // 2237n
 */
export function parseUsd(text: UsdText): AtomicUsdc {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text)
  if (!match) throw new RangeError(`not a dollar amount with at most six decimals: ${text}`)
  return BigInt(match[1] ?? '0') * ATOMIC_PER_USD + BigInt((match[2] ?? '').padEnd(6, '0'))
}

/**
 * Writes micro-USDC as exact dollars, without trailing zeros.
 * @example formatUsd(2237n) // '0.002237'
 */
export function formatUsd(amount: AtomicUsdc): UsdText {
  const sign = amount < 0n ? '-' : ''
  const absolute = amount < 0n ? -amount : amount
  const fraction = (absolute % ATOMIC_PER_USD).toString().padStart(6, '0').replace(/0+$/, '')
  return `${sign}${absolute / ATOMIC_PER_USD}${fraction && `.${fraction}`}`
}

/** Rounds micro-USDC (0 or more) to whole cents, half up. */
export function toCents(amount: AtomicUsdc): bigint {
  return (amount + ATOMIC_PER_CENT / 2n) / ATOMIC_PER_CENT
}

/** Cents as a JSON number of dollars with two decimals: for readers, never for arithmetic. */
export function centsToUsdNumber(cents: bigint): number {
  return Number(cents) / 100
}

/** Micro-USDC as a JSON number of dollars, half up to two decimals: for readers, never for arithmetic. */
export function toUsdNumber(amount: AtomicUsdc): number {
  return centsToUsdNumber(toCents(amount))
}

/** Micro-USDC as an exact JSON number of dollars, up to six decimals: for readers, never for arithmetic. */
export function toExactUsdNumber(amount: AtomicUsdc): number {
  return Number(formatUsd(amount))
}

/**
 * Writes dollars for a sentence: two decimals, no thousands separator, half up.
 * @example formatUsdCents(1_005_000n) // '1.01'
 */
export function formatUsdCents(amount: AtomicUsdc): string {
  const cents = toCents(amount)
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`
}
