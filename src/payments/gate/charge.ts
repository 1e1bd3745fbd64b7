import type { Pricing } from '../../catalogue/endpoint.ts'
import { type AtomicUsdc, parseUsd } from '../../money/usdc.ts'
import type { OfferedPayment } from '../payment.ts'

/**
 * What a delivered answer costs: the signed amount under `exact`; under `upto` the metered charge, never more
 * than the signed maximum and never less than the minimum. A settlement of 0 sends no transaction and uses up
 * no nonce, so the same payment would buy again and again.
 */
export function chargeOf(
  pricing: Pricing,
  payment: OfferedPayment,
  metered: AtomicUsdc | undefined,
): AtomicUsdc {
  if (payment.scheme === 'exact') return payment.signedAmount
  const minimum = pricing.kind === 'metered' ? parseUsd(pricing.minimumUsd) : payment.signedAmount
  const least = minimum > 0n ? minimum : 1n
  const wanted = metered !== undefined && metered > least ? metered : least
  return wanted < payment.signedAmount ? wanted : payment.signedAmount
}
