import type { Address } from '../catalogue/endpoint.ts'
import type { AtomicUsdc } from '../money/usdc.ts'
import type { Hex, OfferedPayment } from './payment.ts'

export type Verification =
  | { readonly isValid: true }
  /** `reason` is a code of the x402 specification, such as `insufficient_funds`. */
  | { readonly isValid: false; readonly reason: string; readonly needsAllowance?: boolean }

export type Settlement =
  | { readonly outcome: 'settled'; readonly transaction: Hex; readonly amount: AtomicUsdc }
  /** Certain: this authorization was not used, and no transaction of ours can still use it. */
  | { readonly outcome: 'failed'; readonly reason: string }
  /** A transaction may still succeed, or the facilitator gave no answer. Reconcile by `findSettlement`. */
  | { readonly outcome: 'unknown'; readonly transaction: Hex | null; readonly reason: string }

/** What the chain says of an authorization, whoever submitted it. */
export type ChainFinding =
  | {
      readonly found: 'settled'
      readonly transaction: Hex
      readonly amount: AtomicUsdc
      readonly isFinal: boolean
    }
  | { readonly found: 'cancelled'; readonly isFinal: boolean }
  /** Unused, and its lifetime is over at the finalized head: it can never settle. */
  | { readonly found: 'expired' }
  | { readonly found: 'open' }

export type SettleOrder = {
  readonly payment: OfferedPayment
  /** Micro-USDC to take: the signed amount under `exact`, at most that under `upto`. */
  readonly amount: AtomicUsdc
  /** Called with the hash before a transaction is sent, and awaited: the caller stores it first. */
  readonly beforeSend: (transaction: Hex) => Promise<void>
}

/**
 * Whoever verifies and settles payments. Orders that arrive together may settle in one transaction,
 * so results are known by (payer, nonce), never by the transaction alone.
 */
export interface Facilitator {
  /** The wallet that sends settlements; bound into `upto` terms. Null when the facilitator does not say. */
  readonly address: Address | null
  /** Checks signature, balance and use on the chain; the caller has checked form, terms and lifetime. */
  verify(payment: OfferedPayment, signal: AbortSignal): Promise<Verification>
  settle(order: SettleOrder, signal: AbortSignal): Promise<Settlement>
  /** Whether settlements can be paid for: false when the gas balance is low or the facilitator is unreachable. */
  health(): Promise<{ readonly isHealthy: boolean; readonly detail: string }>
}

/** Reads about payments that need no key, from any RPC of the chain. */
export interface ChainReader {
  /** USDC that the payer holds, micro-USDC. */
  balanceOf(payer: Address, signal: AbortSignal): Promise<AtomicUsdc>
  /** Whether the payer is a contract (also EIP-7702), whose signature only the chain can check. */
  hasCode(payer: Address, signal: AbortSignal): Promise<boolean>
  findSettlement(payment: OfferedPayment, signal: AbortSignal): Promise<ChainFinding>
}
