import type { Address, Hex } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Problem } from '@tollbook/http/problem'
import type { OfferedPayment, SentPayment } from './payment.ts'
import type { RefusalKind } from './reasons.ts'
import type {
  AnyRequirements,
  PaymentPayload,
  SettleResponse,
  TypedDataSigner,
  VerifyResponse,
} from './x402-messages.ts'

/** The code of a payer's wallet, which may behave differently in a block than in the simulation of the settlement. */
export type PayerCode = {
  /**
   * keccak256 of the code, the same for all accounts with one EIP-7702 delegate; of the factory's address
   * before the wallet is deployed.
   */
  readonly codeHash: Hex
  /** Gas limit of the settlement. */
  readonly gas: bigint
  /** Current price of that much gas, micro-USDC, rounded up. */
  readonly gasCost: AtomicUsdc
}

export type Verification =
  /** `payerCode` if the payer has code and the facilitator pays for gas. */
  | { readonly isValid: true; readonly payerCode?: PayerCode }
  /** `reason` is a code of the x402 specification, such as `insufficient_funds`. */
  | { readonly isValid: false; readonly reason: string; readonly kind: RefusalKind }

/**
 * Why a settlement failed.
 * - `payer`: the wallet no longer covers, allows or signs what it had signed; nothing was sent.
 * - `reverted`: the same, but discovered by a mined transaction that moved nothing, at the facilitator's
 * cost.
 * - `operator`: the seller's side: chain, gas, fee limit, store or lateness.
 */
export type FailureCause = 'payer' | 'reverted' | 'operator'

/** Gas that a reverted transaction cost; `codeHash` is null if the payer has no code. */
export type BurntGas = { readonly codeHash: Hex | null; readonly gas: bigint }

/** The outcome of a settlement, from the facilitator through the ledger to `PAYMENT-RESPONSE`. */
export type Settlement =
  | {
      readonly outcome: 'settled'
      /** Null if a voucher paid: it is claimed later, with others. */
      readonly transaction: Hex | null
      readonly amount: AtomicUsdc
      /** Whether the ledger found the transfer on the chain: its signature was public before we answered. */
      readonly wasFound?: boolean
      /** Its part of the transaction's gas, micro-USDC; absent if someone else paid, or it was found on the chain. */
      readonly gasCost?: AtomicUsdc
      /** Epoch milliseconds, set by the ledger. */
      readonly settledAt?: number
      /** The channel as clients read it, if a voucher paid. */
      readonly channelState?: ChannelStateExtra
    }
  /**
   * Certain: nothing was charged, and no transaction of ours can still charge. Once the ledger has recorded
   * it, the stored answer is deleted.
   */
  | {
      readonly outcome: 'failed'
      readonly reason: string
      readonly cause: FailureCause
      readonly burnt?: BurntGas
      /** A voucher no longer fits its channel: what to answer instead. */
      readonly problem?: Problem
    }
  /** A transaction may still succeed, or the facilitator did not answer. Reconcile with `findSettlement`. */
  | { readonly outcome: 'unknown'; readonly transaction: Hex | null; readonly reason: string }

/** A channel as the client of `batch-settlement` reads it; amounts are decimal micro-USDC. */
export type ChannelStateExtra = {
  readonly channelId: Hex
  readonly balance: string
  readonly totalClaimed: string
  /** Epoch seconds, or 0. */
  readonly withdrawRequestedAt: number
  readonly refundNonce: string
  readonly chargedCumulativeAmount: string
}

/** What the chain holds of a channel. */
export type ChannelReading = {
  readonly balance: AtomicUsdc
  readonly totalClaimed: AtomicUsdc
  /** Epoch seconds, or 0. */
  readonly withdrawRequestedAt: number
  readonly refundNonce: number
  /** Whether the balance is also in the chain's safe block, so that no reorganisation is expected to remove it. */
  readonly isSafe: boolean
}

/** The escrow of payment channels on the chain. */
export interface ChannelEscrow {
  /** The chain of its channels. */
  readonly network: Network
  /** Signs claims and refunds as the `receiverAuthorizer` of channels. */
  readonly authorizer: TypedDataSigner
  verify(payload: PaymentPayload, requirements: AnyRequirements): Promise<VerifyResponse>
  /** @param order recorded with the transaction that it causes, if any. */
  settle(payload: PaymentPayload, requirements: AnyRequirements, order?: SendOrder): Promise<SettleResponse>
  /** What became of an order whose transactions had these hashes. */
  findSent(payment: SentPayment, hashes: readonly Hex[]): Promise<SentFinding>
  read(channel: Hex): Promise<ChannelReading>
  /** Micro-USDC that each channel has paid so far. */
  readClaimed(channels: readonly Hex[]): Promise<readonly bigint[]>
  /** Current price of so much gas, micro-USDC. */
  gasCost(gas: bigint): Promise<AtomicUsdc>
}

/** The state of an authorization on the chain, regardless of who submitted it. */
export type ChainFinding =
  | {
      readonly found: 'settled'
      readonly transaction: Hex
      readonly amount: AtomicUsdc
      readonly isFinal: boolean
    }
  /** The nonce was cancelled, or used by a transfer other than the one to `payTo`. */
  | { readonly found: 'cancelled'; readonly isFinal: boolean }
  /** Unused and expired as of the finalized head: it can never settle. */
  | { readonly found: 'expired' }
  | { readonly found: 'open' }

/** `gone`: no transaction of the order was mined, and none can be. */
export type SentFinding =
  | { readonly found: 'mined' | 'reverted'; readonly transaction: Hex }
  | { readonly found: 'pending' | 'gone' }

/** What is in a transaction that is about to be sent. */
export type SendOrder = {
  readonly payment: SentPayment
  /**
   * Awaited before a transaction can exist, and again before it is replaced with a higher fee: the caller
   * stores the hash first. Null for a remote facilitator, which returns the hash only after sending. If it
   * throws, nothing is sent for this order and the outcome is `failed`.
   * @returns until when the transaction may be stored, if the order is leased: epoch milliseconds of the database.
   */
  readonly beforeSend: (transaction: Hex | null) => Promise<void> | Promise<number>
}

export type SettleOrder = SendOrder & {
  readonly payment: OfferedPayment
  /** Micro-USDC to take: the signed amount under `exact`, at most the signed amount under `upto`. */
  readonly amount: AtomicUsdc
  /** Whether the payer has paid for a settlement that reverts. */
  readonly isCovered: boolean
  /**
   * The call, for a facilitator that answers each payment once: the same whenever it is requested again, and nobody
   * outside can guess it.
   */
  readonly key: string
}

/**
 * Verifies and settles payments. Orders that arrive together may settle in one transaction, so results are
 * identified by (payer, nonce), never by the transaction alone.
 */
export interface Facilitator {
  /** The wallet that sends settlements; part of `upto` requirements. Null if the facilitator does not publish it. */
  readonly address: Address | null
  /** Checks signature, balance and use on the chain; the caller has already checked form, requirements and lifetime. */
  verify(payment: OfferedPayment, signal: AbortSignal): Promise<Verification>
  settle(order: SettleOrder, signal: AbortSignal): Promise<Settlement>
  /** Whether settlements can be paid for: false if the gas balance is low or the facilitator is unreachable. */
  health(): Promise<FacilitatorHealth>
  /** Absent if it settles no channels. */
  readonly escrow?: ChannelEscrow
}

export type FacilitatorHealth = {
  readonly isHealthy: boolean
  readonly detail: string
  /** Current gas cost of one settlement, micro-USDC, rounded up; absent if someone else pays for it. */
  readonly settlementCost?: SettlementCost
  /** Absent if someone else pays for gas. */
  readonly gasLeft?: readonly GasLeft[]
}

/** Chosen: at one settlement a minute, the operator has 16 hours to send ETH. */
export const LOW_GAS_SETTLEMENTS = 1_000n

/** How many settlements a wallet can pay for at the highest fee. */
export type GasLeft = { readonly address: Address; readonly settlements: bigint }

export type SettlementCost = Readonly<Record<'exact' | 'upto', AtomicUsdc>>

/** A facilitator that this process started. It tracks its own transactions until it is closed. */
export type RunningFacilitator = Facilitator & {
  /** Payments that wait for a transaction; absent if another program sends them. */
  waiting?(): number
  /** Stops its background work; transactions that were sent are resumed at the next start. */
  close(): Promise<void>
}

/** Reads about payments that need no key, from any RPC of the chain. */
export interface ChainReader {
  /** The payer's USDC balance, micro-USDC. */
  balanceOf(payer: Address, signal: AbortSignal): Promise<AtomicUsdc>
  /** The payer's USDC that Permit2 may move, micro-USDC. */
  allowanceOf(payer: Address, signal: AbortSignal): Promise<AtomicUsdc>
  /** Whether the payer is a contract (or has an EIP-7702 delegate), whose signature only the chain can check. */
  hasCode(payer: Address, signal: AbortSignal): Promise<boolean>
  findSettlement(payment: OfferedPayment, signal: AbortSignal): Promise<ChainFinding>
  /** Whether a transaction was mined and reverted. */
  hasReverted(transaction: Hex, signal: AbortSignal): Promise<boolean>
}
