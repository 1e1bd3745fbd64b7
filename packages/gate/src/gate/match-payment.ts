import type { Problem } from '@tollbook/http/problem'
import type { DecodedPayment } from '../authorization/decode-payment.ts'
import { joinIdentifier } from '../authorization/extensions.ts'
import { malformed } from '../authorization/refusal.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Credential } from '../protocols/protocols.ts'
import type { Challenges } from './challenge.ts'

/** A payment that its request may be paid by; `changed`: under which other terms it was signed, or null. */
export type UsablePayment = { readonly payment: OfferedPayment; readonly changed: Problem | null }

/** Decodes the payments of requests, and matches them with the terms. */
export class PaymentMatcher {
  readonly #challenges: Challenges
  readonly #clock: () => Date

  constructor(parts: { readonly challenges: Challenges; readonly clock: () => Date }) {
    this.#challenges = parts.challenges
    this.#clock = parts.clock
  }

  /** The payment that meets the terms of the request, or any of those that its body may still select. */
  match(exchange: Exchange, credential: Credential): DecodedPayment {
    const decoded = this.#decode(exchange, credential)
    return 'problem' in decoded ? decoded : this.#complete(exchange, decoded.payment)
  }

  /** A payment under other terms, too, with what is `changed`: nothing is sold for it, but it may have bought something. */
  matchUsable(exchange: Exchange, credential: Credential): UsablePayment | { readonly problem: Problem } {
    const decoded = this.#decode(exchange, credential)
    if ('payment' in decoded) {
      const completed = this.#complete(exchange, decoded.payment)
      return 'problem' in completed ? completed : { ...completed, changed: null }
    }
    const { problem, earlier } = decoded
    const completed = earlier && this.#complete(exchange, earlier)
    return completed && 'payment' in completed ? { ...completed, changed: problem } : { problem }
  }

  #decode(exchange: Exchange, { protocol, text }: Credential): DecodedPayment {
    const own = protocol.decode(text, this.#challenges.offerOf(exchange))
    if (!('problem' in own)) return own
    for (const offer of this.#challenges.selectableOffers(exchange)) {
      const decoded = protocol.decode(text, offer)
      if (!('problem' in decoded)) return decoded
    }
    return own
  }

  /** With what the request adds to it. */
  #complete(
    exchange: Exchange,
    payment: OfferedPayment,
  ): { readonly payment: OfferedPayment } | { readonly problem: Problem } {
    const named = joinIdentifier(payment.identifier, exchange.request.headers.get('idempotency-key'))
    if ('reason' in named) return { problem: malformed(named.detail, named.reason, 'Idempotency-Key') }
    const { resourceUrl } = payment
    if (resourceUrl !== undefined && !exchange.isUndecided && !this.#challenges.isOurs(exchange, resourceUrl))
      return { problem: OTHER_RESOURCE }
    return { payment: this.#withLifetime({ ...payment, ...named }) }
  }

  /** Vouchers do not end: their calls have the lifetime of other payments. */
  #withLifetime(payment: OfferedPayment): OfferedPayment {
    if (!payment.channel) return payment
    const validBefore = Math.floor(this.#clock().getTime() / 1000) + payment.terms.maxTimeoutSeconds
    return { ...payment, validBefore }
  }
}

const OTHER_RESOURCE: Problem = {
  code: 'payment_invalid',
  detail: 'The payment was rejected: it was made for another resource.',
  members: { reason: 'resource_mismatch' },
}
