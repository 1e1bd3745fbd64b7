import type { Problem } from '../../catalogue/problem.ts'
import type { OfferedPayment } from '../payment.ts'

/** A settlement needs the next block or two; stock facilitators refuse what ends within 6 s. */
const SHORTEST_REST_SECONDS = 6
/** How far a client's clock may run ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 60

/**
 * Whether a payment can be settled from now on, and does not live longer than its terms allow: an authorization
 * that outlives its call could be kept and settled when the payer has forgotten it.
 * @param now epoch seconds
 */
export function checkLifetime(payment: OfferedPayment, now: number): Problem | null {
  const { validAfter, validBefore, scheme } = payment
  if (validBefore < now + SHORTEST_REST_SECONDS)
    return expired('its lifetime is over or about to end', ENDED[scheme])
  if (validAfter > now) return expired('its lifetime has not begun', NOT_BEGUN[scheme])
  if (validBefore > now + payment.terms.maxTimeoutSeconds + CLOCK_TOLERANCE_SECONDS)
    return expired(
      `it lives longer than the ${payment.terms.maxTimeoutSeconds} seconds that were offered`,
      'payment_lifetime_too_long',
    )
  // Permit2 lets a permit count until its own deadline; one that ends earlier would fail at the settlement.
  if (payment.permit && payment.permit.deadline < now + SHORTEST_REST_SECONDS)
    return expired('its EIP-2612 permit is over or about to end', 'eip2612_deadline_expired')
  return null
}

const ENDED = {
  exact: 'invalid_exact_evm_payload_authorization_valid_before',
  upto: 'permit2_deadline_expired',
} as const
const NOT_BEGUN = {
  exact: 'invalid_exact_evm_payload_authorization_valid_after',
  upto: 'permit2_not_yet_valid',
} as const

function expired(detail: string, reason: string): Problem {
  return { code: 'payment_expired', detail: `the payment was refused: ${detail}`, members: { reason } }
}
