import type { Address } from '../../chain/hex.ts'
import { isErc6492 } from '../authorization/check-signature.ts'
import type { Verification } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Chain } from './chain/chain.ts'
import type { CodeCache } from './chain/code-cache.ts'
import type { FeeSource } from './chain/fees.ts'
import { toGasCost } from './chain/gas-cost.ts'
import type { GasLimits } from './orders/gas-limits.ts'
import { planSettlement } from './orders/plan-settlement.ts'
import { type Simulation, simulateSettlement } from './simulate.ts'

export type VerifyContext = {
  readonly chain: Chain
  readonly codes: CodeCache
  readonly fees: FeeSource
  readonly limits: GasLimits
  /** The wallet that would settle. */
  readonly from: Address
  readonly allowedFactories: readonly Address[]
  /** Dollars per ETH. */
  readonly ethUsd: number
}

/**
 * Simulates the whole settlement, under `upto` with the maximum, against the newest block: the contracts
 * themselves then check signature, balance, allowance and use.
 * @throws what the RPC throws if it does not answer.
 */
export async function verifyPayment(
  payment: OfferedPayment,
  { chain, codes, fees, limits, from, allowedFactories, ethUsd }: VerifyContext,
  signal: AbortSignal,
): Promise<Verification> {
  if (payment.scheme === 'upto' && String(payment.terms.extra.facilitatorAddress).toLowerCase() !== from)
    return { isValid: false, reason: 'upto_facilitator_mismatch' }
  const reading = codes.payerCode(payment, signal)
  const planFor = (payerHasCode: boolean) =>
    planSettlement(payment, { amount: payment.signedAmount, payerHasCode, allowedFactories })
  // Only the deployment of a wallet depends on the answer; otherwise both are sent in one request.
  const plan = planFor(isErc6492(payment) && (await reading) !== null)
  if ('reason' in plan) return { isValid: false, reason: plan.reason }
  const [simulation, codeHash] = await Promise.all([
    simulateSettlement(chain, { plan, payment, from }, signal),
    reading,
  ])
  if (!simulation.isOk) return toRefusal(simulation)
  const hash = codeHash ?? (plan.factory && codes.hashOf(plan.factory))
  if (!hash) return { isValid: true }
  const ownPlan = plan.gas === null ? null : planFor(true)
  const estimated =
    ownPlan && 'call' in ownPlan
      ? await simulateSettlement(chain, { plan: ownPlan, payment, from }, signal)
      : simulation
  if (!estimated.isOk) return toRefusal(estimated)
  const gas = limits.fix(payment, hash, estimated.gas)
  const gasCost = toGasCost(gas, await fees.expected(signal), ethUsd)
  return { isValid: true, payerCode: { codeHash: hash, gas, gasCost } }
}

function toRefusal({ reason, needsAllowance }: Extract<Simulation, { isOk: false }>): Verification {
  return { isValid: false, reason, ...(needsAllowance ? { needsAllowance } : {}) }
}
