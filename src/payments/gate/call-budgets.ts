import type { Exchange } from '../../catalogue/exchange.ts'
import { inStep } from '../../flow/trace.ts'
import type { Problem } from '../../http/problem.ts'
import { type RateLimiter, type RequestBudget, tooMany } from '../../http/request/rate-limit.ts'
import { checkLifetime } from '../authorization/lifetime.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Admission } from './admission.ts'

/**
 * Chosen: the part of a body that counts here. A refused upload of 14 MB then leaves room for further payments of its
 * payer, and the reserve of an address holds no more than half as many bytes again as its own budget.
 */
const BODY_SHARE = 16

/**
 * Opens the budget of a request with a payment. The address pays for it; once its budget is used up, the payer does if
 * its payment verifies before anything else is done. Payments that do not are limited by a reserve of the address.
 */
export type OpenCallBudget = (
  exchange: Exchange,
  match: () => OfferedPayment | null,
) => Promise<RequestBudget | { readonly problem: Problem }>

export function createCallBudgets(parts: {
  readonly admission: Pick<Admission, 'checkSignature' | 'preview'>
  readonly limiter: RateLimiter
  readonly payerLimiter: RateLimiter
  readonly clock: () => Date
}): OpenCallBudget {
  const { admission, limiter, payerLimiter, clock } = parts

  return async (exchange, match) => {
    const { clientAddress } = exchange
    const own = limiter.open(clientAddress)
    if (own.waitSeconds === 0) return own
    const locked = { problem: tooMany(own.waitSeconds) }
    const reserve = limiter.openReserve(clientAddress)
    const payment = reserve.waitSeconds === 0 ? match() : null
    const ofPayer = payment && (await openPayer(payment, reserve))
    if (!payment || !ofPayer) {
      reserve.end()
      return locked
    }
    const budget = limiter.open(clientAddress, ofPayer)
    const problem = await inStep('verify', () => admission.preview({ exchange, payment, budget }))
    if (!problem) return budget
    budget.end()
    return locked
  }

  /** Null unless the payment can be verified without a change, and the payer has a budget left. */
  async function openPayer(payment: OfferedPayment, reserve: RequestBudget): Promise<RequestBudget | null> {
    // A deposit or a refund would be sent to the chain.
    if (payment.channel && payment.channel.kind !== 'voucher') return null
    if (checkLifetime(payment, Math.floor(clock().getTime() / 1000))) return null
    const signed = await admission.checkSignature(payment, reserve)
    if ('problem' in signed) return null
    const ofPayer = payerLimiter.open(payment.payer)
    if (ofPayer.waitSeconds > 0) return null
    // With the request that got the terms.
    ofPayer.join({ ...reserve, giveBack: () => reserve.giveBack(1) })
    return { ...ofPayer, addBody: (sizeBytes) => ofPayer.addBody(sizeBytes / BODY_SHARE) }
  }
}
