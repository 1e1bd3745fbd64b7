import type { Hex } from '@tollbook/chain/hex'
import { type OfferedPayment, paymentKey } from '@tollbook/gate/payment'

const MAX_PAYMENTS = 10_000
/** Part of an estimate that is added, because the state may change until the block. */
const RESERVE_DIVISOR = 5n

/**
 * Gas limits of payments whose payers have code, fixed at verification: code that needs more at settlement
 * does not get it. In memory: a payment that another process verified settles within the limits for payers
 * without code.
 */
export type GasLimits = {
  /** Fixes the limit from an estimate, and returns it. */
  fix(payment: OfferedPayment, codeHash: Hex, estimate: bigint): bigint
  /** The limit, and the code that the payer had. */
  find(payment: OfferedPayment): GasLimit | null
  forget(payment: OfferedPayment): void
}

export type GasLimit = { readonly codeHash: Hex; readonly gas: bigint }

export function createGasLimits(): GasLimits {
  const limits = new Map<string, GasLimit>()
  return {
    fix(payment, codeHash, estimate) {
      const gas = estimate + estimate / RESERVE_DIVISOR
      const oldest = limits.keys().next().value
      if (limits.size >= MAX_PAYMENTS && oldest !== undefined) limits.delete(oldest)
      limits.set(paymentKey(payment), { codeHash, gas })
      return gas
    },
    find: (payment) => limits.get(paymentKey(payment)) ?? null,
    forget(payment) {
      limits.delete(paymentKey(payment))
    },
  }
}
