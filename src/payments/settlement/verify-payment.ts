import type { Address } from '../../catalogue/endpoint.ts'
import { isErc6492 } from '../authorization/check-signature.ts'
import type { Verification } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Chain } from './chain/chain.ts'
import type { CodeCache } from './chain/code-cache.ts'
import { planSettlement } from './orders/plan-settlement.ts'
import { simulateSettlement } from './simulate.ts'

export type VerifyContext = {
  readonly chain: Chain
  readonly codes: CodeCache
  /** The wallet that would settle. */
  readonly from: Address
  readonly allowedFactories: readonly Address[]
}

/**
 * Tries the whole settlement, under `upto` with the maximum, against the newest block: signature, balance,
 * allowance and use are then checked by the contracts themselves.
 * @throws what the RPC throws when it gives no answer.
 */
export async function verifyPayment(
  payment: OfferedPayment,
  { chain, codes, from, allowedFactories }: VerifyContext,
  signal: AbortSignal,
): Promise<Verification> {
  if (payment.scheme === 'upto' && String(payment.terms.extra.facilitatorAddress).toLowerCase() !== from)
    return { isValid: false, reason: 'upto_facilitator_mismatch' }
  const knowing = codes.payerHasCode(payment, signal)
  // Only the deployment of a wallet depends on the answer; otherwise both travel in one request.
  const payerHasCode = isErc6492(payment) ? await knowing : false
  const plan = planSettlement(payment, { amount: payment.signedAmount, payerHasCode, allowedFactories })
  if ('reason' in plan) return { isValid: false, reason: plan.reason }
  const [simulation] = await Promise.all([
    simulateSettlement(chain, { plan, payment, from }, signal),
    knowing,
  ])
  if (simulation.isOk) return { isValid: true }
  const { reason, needsAllowance } = simulation
  return { isValid: false, reason, ...(needsAllowance ? { needsAllowance } : {}) }
}
