import type { Problem } from '@tollbook/http/problem'
import { isByPermit2, type OfferedPayment } from '../payment.ts'

/** A settlement needs the next block or two; stock facilitators reject payments that end within 6 s. */
const MIN_REST_SECONDS = 6
/** How far a client's clock may be ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 60

/**
 * Checks that a payment can be settled from now on, and that its lifetime is not longer than offered: an
 * authorization that outlives its call could be kept and settled after the payer has forgotten it.
 * @param now epoch seconds
 */
export function checkLifetime(payment: OfferedPayment, now: number): Problem | null {
  const { validAfter, validBefore } = payment
  const way = isByPermit2(payment) ? 'permit2' : payment.channel ? 'channel' : 'eip3009'
  if (validBefore < now + MIN_REST_SECONDS)
    return expired('it has expired or is about to; sign a new one', ENDED[way])
  if (validAfter > now) return expired('it is not valid yet', NOT_BEGUN[way])
  if (validBefore > now + payment.terms.maxTimeoutSeconds + CLOCK_TOLERANCE_SECONDS)
    return expired(
      `its lifetime exceeds the ${payment.terms.maxTimeoutSeconds} seconds that were offered`,
      'payment_lifetime_too_long',
    )
  // Permit2 honours a permit until the permit's own deadline; one that ends earlier would fail at settlement.
  if (payment.permit && payment.permit.deadline < now + MIN_REST_SECONDS)
    return expired('its EIP-2612 permit has expired or is about to', 'eip2612_deadline_expired')
  return null
}

const ENDED = {
  eip3009: 'invalid_exact_evm_payload_authorization_valid_before',
  permit2: 'permit2_deadline_expired',
  // Vouchers do not end.
  channel: 'payment_expired',
} as const
const NOT_BEGUN = {
  eip3009: 'invalid_exact_evm_payload_authorization_valid_after',
  permit2: 'permit2_not_yet_valid',
  channel: 'payment_not_begun',
} as const

function expired(detail: string, reason: string): Problem {
  return { code: 'payment_expired', detail: `the payment was rejected: ${detail}`, members: { reason } }
}
