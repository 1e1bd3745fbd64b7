import type { Address } from '../catalogue/endpoint.ts'
import type { AtomicUsdc } from '../money/usdc.ts'
import type { Hex, OfferedPayment } from './payment.ts'

/** The code of a payer's wallet: it may do something else in a block than when the settlement is tried. */
export type PayerCode = {
  /** keccak256 of the code, the same for all accounts of one EIP-7702 delegate; of the factory's address before the wallet is deployed. */
  readonly codeHash: Hex
  /** Gas limit of the settlement. */
  readonly gas: bigint
  /** What so much gas costs now, micro-USDC, rounded up. */
  readonly gasCost: AtomicUsdc
}

export type Verification =
  /** `payerCode` where the payer has code and the facilitator pays for gas. */
  | { readonly isValid: true; readonly payerCode?: PayerCode }
  /** `reason` is a code of the x402 specification, such as `insufficient_funds`. */
  | { readonly isValid: false; readonly reason: string; readonly needsAllowance?: boolean }

/**
 * Why a settlement failed.
 * - `payer`: the wallet no longer covers, allows or signs what it had signed; nothing was sent.
 * - `reverted`: the same, found out by a transaction that was mined and moved nothing, at the facilitator's cost.
 * - `operator`: the chain, the gas, the fee bound, the store or the lateness of the seller's side.
 */
export type FailureCause = 'payer' | 'reverted' | 'operator'

/** Gas that a reverted transaction cost; `codeHash` is null where the payer has no code. */
export type BurntGas = { readonly codeHash: Hex | null; readonly gas: bigint }

export type Settlement =
  | { readonly outcome: 'settled'; readonly transaction: Hex; readonly amount: AtomicUsdc }
  /** Certain: this authorization was not used, and no transaction of ours can still use it. */
  | {
      readonly outcome: 'failed'
      readonly reason: string
      readonly cause: FailureCause
      readonly burnt?: BurntGas
    }
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
  /** Its nonce was cancelled, or used up by another transfer than the one to `payTo`. */
  | { readonly found: 'cancelled'; readonly isFinal: boolean }
  /** Unused, and its lifetime is over at the finalized head: it can never settle. */
  | { readonly found: 'expired' }
  | { readonly found: 'open' }

export type SettleOrder = {
  readonly payment: OfferedPayment
  /** Micro-USDC to take: the signed amount under `exact`, at most that under `upto`. */
  readonly amount: AtomicUsdc
  /**
   * Awaited before a transaction can exist, and again when it is sent anew with a higher fee: the caller
   * stores the hash first. Null when a remote facilitator sends and tells the hash only afterwards.
   * When it throws, nothing is sent for this order and the outcome is `failed`.
   */
  readonly beforeSend: (transaction: Hex | null) => Promise<void>
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
  health(): Promise<FacilitatorHealth>
}

export type FacilitatorHealth = {
  readonly isHealthy: boolean
  readonly detail: string
  /** What the gas of one settlement costs now, micro-USDC, rounded up; absent where someone else pays for it. */
  readonly settlementCost?: SettlementCost
}

export type SettlementCost = Readonly<Record<OfferedPayment['scheme'], AtomicUsdc>>

/** A facilitator that this process started: it keeps its own transactions going until it is closed. */
export type RunningFacilitator = Facilitator & {
  /** Stops its work in the background; what was sent is taken up again by the next start. */
  close(): Promise<void>
}

/** Reads about payments that need no key, from any RPC of the chain. */
export interface ChainReader {
  /** USDC that the payer holds, micro-USDC. */
  balanceOf(payer: Address, signal: AbortSignal): Promise<AtomicUsdc>
  /** USDC of the payer that Permit2 may move, micro-USDC. */
  allowanceOf(payer: Address, signal: AbortSignal): Promise<AtomicUsdc>
  /** Whether the payer is a contract (also EIP-7702), whose signature only the chain can check. */
  hasCode(payer: Address, signal: AbortSignal): Promise<boolean>
  findSettlement(payment: OfferedPayment, signal: AbortSignal): Promise<ChainFinding>
  /** Whether a transaction was mined and reverted. */
  hasReverted(transaction: Hex, signal: AbortSignal): Promise<boolean>
}
