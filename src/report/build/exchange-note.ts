import type { Address } from '../../chain/hex.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Transfer } from '../chain/transfer.ts'

/** A smaller share of the money says little about a merchant. */
const MIN_SHARE_PERCENT = 25
/** A buyer counts as funded when at least this share of its inflow came from labelled wallets. */
export const MIN_INFLOW_PERCENT = 50

/** What the merchant was paid in the window. */
export type FundedAmounts = {
  readonly amount: AtomicUsdc
  /** The part of it paid by buyers funded from labelled wallets. */
  readonly fundedAmount: AtomicUsdc
  /** The part of it paid by buyers whose inflow was not read. */
  readonly unknownAmount: AtomicUsdc
}

/** Buyers who received at least half of their USDC of the window from labelled wallets, directly. */
export function findFundedBuyers(
  inflows: readonly Pick<Transfer, 'sender' | 'recipient' | 'amount'>[],
  labelled: ReadonlySet<Address>,
): ReadonlySet<Address> {
  const sums = new Map<Address, { all: AtomicUsdc; labelled: AtomicUsdc }>()
  for (const { sender, recipient, amount } of inflows) {
    if (sender === recipient) continue
    const sum = sums.get(recipient) ?? { all: 0n, labelled: 0n }
    sum.all += amount
    if (labelled.has(sender)) sum.labelled += amount
    sums.set(recipient, sum)
  }
  const funded = [...sums].filter(([, sum]) => sum.labelled * 100n >= sum.all * BigInt(MIN_INFLOW_PERCENT))
  return new Set(funded.map(([buyer]) => buyer))
}

/** The report's sentence on exchanges; null for a small share, undefined if too many buyers are unknown. */
export function writeExchangeNote(
  { amount, fundedAmount, unknownAmount }: FundedAmounts,
  labelVersion: string,
): string | null | undefined {
  const reaches = (part: AtomicUsdc) => part * 100n >= amount * BigInt(MIN_SHARE_PERCENT)
  if (!reaches(fundedAmount)) return reaches(fundedAmount + unknownAmount) ? undefined : null
  // Half up, like the percentage of the claim.
  const percent = (200n * fundedAmount + amount) / (2n * amount)
  return (
    `${unknownAmount > 0n ? 'At least ' : ''}${percent}% of the reported dollars came from buyer wallets that were ` +
    'filled mostly from exchanges or bridges: at least half of the USDC that each of them received in the window ' +
    `came directly from wallets on the label list ${labelVersion}. Many people top up their wallets in this way.`
  )
}
