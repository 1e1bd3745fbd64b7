import { type AtomicUsdc, toCents } from '@tollbook/chain/usdc'

/** A cent in micro-USDC. */
const CENT = 10_000n

/**
 * Rounds amounts to whole cents that add up to a total, by the largest remainder method; the first of
 * equals.
 * @param total cents; at most a cent above each amount rounded down
 * @param limits maximum cents of each amount; absent: none
 */
export function apportionCents(
  amounts: readonly AtomicUsdc[],
  total: bigint,
  limits?: readonly bigint[],
): readonly bigint[] {
  const cents = amounts.map((amount, at) => smaller(amount / CENT, limits?.[at]))
  let missing = cents.reduce((rest, each) => rest - each, total)
  const byRemainder = amounts.map((amount, at) => ({ at, rest: amount - (cents[at] ?? 0n) * CENT }))
  byRemainder.sort((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest > b.rest ? -1 : 1))
  while (missing > 0n) {
    const before = missing
    for (const { at } of byRemainder) {
      const own = cents[at] ?? 0n
      if (missing === 0n || smaller(own + 1n, limits?.[at]) === own) continue
      cents[at] = own + 1n
      missing -= 1n
    }
    if (missing === before) break
  }
  return cents
}

export type PartCents = { readonly reported: bigint; readonly real: bigint }

/**
 * The cents of each part, which add up to the rounded totals. Flagged cents are apportioned, not the passing
 * ones, so that a part without flagged payments shows no difference.
 */
export function apportionParts(
  parts: readonly { readonly amount: AtomicUsdc; readonly realAmount: AtomicUsdc }[],
): readonly PartCents[] {
  const amounts = parts.map(({ amount }) => amount)
  const total = toCents(sum(amounts))
  const totalReal = toCents(sum(parts.map(({ realAmount }) => realAmount)))
  const reported = apportionCents(amounts, total)
  const flaggedAmounts = parts.map(({ amount, realAmount }) => amount - realAmount)
  const flagged = apportionCents(flaggedAmounts, total - totalReal, reported)
  return reported.map((cents, at) => ({ reported: cents, real: cents - (flagged[at] ?? 0n) }))
}

function sum(amounts: readonly AtomicUsdc[]): AtomicUsdc {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

function smaller(value: bigint, limit: bigint | undefined): bigint {
  return limit !== undefined && limit < value ? limit : value
}
