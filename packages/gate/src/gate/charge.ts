import { type AtomicUsdc, parseUsd } from '@tollbook/chain/usdc'
import type { Pricing } from '../contract/paid-route.ts'
import type { OfferedPayment } from '../payment.ts'

/**
 * The charge for a delivered answer: the signed amount under `exact`; under `upto` the metered charge, at
 * most the signed maximum and at least the minimum. A settlement of 0 sends no transaction and uses no nonce,
 * so the same payment could buy again and again.
 */
export function chargeOf(
  pricing: Pricing,
  payment: OfferedPayment,
  metered: AtomicUsdc | undefined,
): AtomicUsdc {
  if (payment.scheme !== 'upto') return payment.signedAmount
  const minimum = pricing.kind === 'metered' ? parseUsd(pricing.minimumUsd) : payment.signedAmount
  const floor = minimum > 0n ? minimum : 1n
  const wanted = metered !== undefined && metered > floor ? metered : floor
  return wanted < payment.signedAmount ? wanted : payment.signedAmount
}
