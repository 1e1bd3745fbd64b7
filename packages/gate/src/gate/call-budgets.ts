import { inStep } from '@tollbook/flow/trace'
import type { Problem } from '@tollbook/http/problem'
import { type RateLimiter, type RequestBudget, tooMany } from '@tollbook/http/request/rate-limit'
import { checkLifetime } from '../authorization/lifetime.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Admission } from './admission.ts'

/**
 * Chosen: the part of a body that counts here. A refused upload of 14 MB then leaves room for further payments of its
 * payer, and the reserve of an address holds no more than half as many bytes again as its own budget.
 */
const BODY_SHARE = 16

/**
 * The budgets of requests with a payment. The address pays for it; once its budget is used up, the payer does if
 * its payment verifies before anything else is done. Payments that do not are limited by a reserve of the address.
 */
export class CallBudgets {
  readonly #admission: Admission
  readonly #limiter: RateLimiter
  readonly #payerLimiter: RateLimiter
  readonly #clock: () => Date

  constructor(parts: {
    readonly admission: Admission
    readonly limiter: RateLimiter
    readonly payerLimiter: RateLimiter
    readonly clock: () => Date
  }) {
    this.#admission = parts.admission
    this.#limiter = parts.limiter
    this.#payerLimiter = parts.payerLimiter
    this.#clock = parts.clock
  }

  async open(
    exchange: Exchange,
    match: () => OfferedPayment | null,
  ): Promise<RequestBudget | { readonly problem: Problem }> {
    const { clientAddress } = exchange
    const own = this.#limiter.open(clientAddress)
    if (own.waitSeconds === 0) return own
    const locked = { problem: tooMany(own.waitSeconds) }
    const reserve = this.#limiter.openReserve(clientAddress)
    const payment = reserve.waitSeconds === 0 ? match() : null
    const ofPayer = payment && (await this.#openPayer(payment, reserve))
    if (!payment || !ofPayer) {
      reserve.end()
      return locked
    }
    const budget = this.#limiter.open(clientAddress, ofPayer)
    const problem = await inStep('verify', () => this.#admission.preview({ exchange, payment, budget }))
    if (!problem) return budget
    budget.end()
    return locked
  }

  /** Null unless the payment can be verified without a change, and the payer has a budget left. */
  async #openPayer(payment: OfferedPayment, reserve: RequestBudget): Promise<RequestBudget | null> {
    // A deposit or a refund would be sent to the chain.
    if (payment.channel && payment.channel.kind !== 'voucher') return null
    if (checkLifetime(payment, Math.floor(this.#clock().getTime() / 1000))) return null
    const signed = await this.#admission.checkSignature(payment, reserve)
    if ('problem' in signed) return null
    const ofPayer = this.#payerLimiter.open(payment.payer)
    if (ofPayer.waitSeconds > 0) return null
    // With the request that got the terms.
    ofPayer.join({ ...reserve, giveBack: () => reserve.giveBack(1) })
    return { ...ofPayer, addBody: (sizeBytes) => ofPayer.addBody(sizeBytes / BODY_SHARE) }
  }
}
