import { isByPermit2, type OfferedPayment } from './payment.ts'

/**
 * What refuses a valid-looking payment: its wallet's USDC, what Permit2 may move of it, the clock, or
 * something else, such as its signature.
 */
export type RefusalKind = 'balance' | 'allowance' | 'lifetime' | 'other'

/**
 * Reason codes as the x402 SDKs write them (typescript/packages/mechanisms/evm, errors.ts of each scheme).
 */
const REASONS = {
  eip3009: {
    used: 'invalid_exact_evm_nonce_already_used',
    balance: 'invalid_exact_evm_insufficient_balance',
    signature: 'invalid_exact_evm_signature',
    ended: 'invalid_exact_evm_payload_authorization_valid_before',
    early: 'invalid_exact_evm_payload_authorization_valid_after',
    allowance: 'invalid_exact_evm_transaction_simulation_failed',
    other: 'invalid_exact_evm_transaction_simulation_failed',
  },
  permit2: {
    used: 'permit2_invalid_nonce',
    balance: 'permit2_insufficient_balance',
    signature: 'invalid_permit2_signature',
    ended: 'permit2_deadline_expired',
    early: 'permit2_not_yet_valid',
    allowance: 'permit2_allowance_required',
    other: 'permit2_simulation_failed',
  },
} as const

/** Vouchers are not settled one by one. */
export function reasonsOf(payment: OfferedPayment): Readonly<Record<ReasonKind, string>> {
  return REASONS[isByPermit2(payment) ? 'permit2' : 'eip3009']
}

export type ReasonKind = keyof (typeof REASONS)['eip3009']
