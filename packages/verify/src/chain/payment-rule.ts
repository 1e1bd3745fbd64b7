import type { Address } from '@tollbook/chain/hex'
import { EVIDENCE, type Payment } from './payment.ts'

/** Marks transfers sent by known facilitators; drops payments to a facilitator's own wallet. */
export function markFacilitators(
  payments: readonly Payment[],
  facilitators: ReadonlySet<Address>,
): readonly Payment[] {
  const marked: Payment[] = []
  for (const payment of payments) {
    if (facilitators.has(payment.merchant)) continue
    const evidence =
      payment.evidence | (facilitators.has(payment.facilitator) ? EVIDENCE.knownFacilitator : 0)
    marked.push(evidence === payment.evidence ? payment : { ...payment, evidence })
  }
  return marked
}

/** Makes a payment count without a listing: a proxy's settlement, a known facilitator, an escrow's payout. */
export const SUFFICIENT_EVIDENCE =
  EVIDENCE.permit2Proxy | EVIDENCE.knownFacilitator | EVIDENCE.claim | EVIDENCE.capture

/** Decides which joined transfers are payments, given the payees of all known listings. */
export function isPayment(payment: Payment, listedPayees: ReadonlySet<Address>): boolean {
  return (payment.evidence & SUFFICIENT_EVIDENCE) !== 0 || listedPayees.has(payment.merchant)
}
