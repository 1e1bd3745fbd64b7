import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'

/** Why a payment is stored, as bits. Listings are looked up when read: new ones count earlier payments. */
export const EVIDENCE = {
  /** Joined to an AuthorizationUsed log of USDC (EIP-3009). */
  authorizationUsed: 1,
  /** Settled through an x402 Permit2 proxy. */
  permit2Proxy: 2,
  /** The transaction's sender is a known facilitator. */
  knownFacilitator: 4,
  /** Claimed from a payment channel (`batch-settlement`). */
  claim: 8,
  /** Captured from an authorization in escrow. */
  capture: 16,
  /** A router passed it on within its transaction. */
  routed: 32,
  /** Claimed or captured after others had moved at least half as much in the transaction: perhaps for its payer. */
  filledByOthers: 64,
} as const

/** Paid out of an escrow: no transfer goes from the buyer to the merchant. */
export const ESCROW_EVIDENCE = EVIDENCE.claim | EVIDENCE.capture

/** An x402 payment in native USDC, as recorded on the chain. */
export type Payment = {
  readonly blockNumber: number
  /** Index of the Transfer log in its block; unique together with the block. */
  readonly logIndex: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly transaction: Hex
  readonly buyer: Address
  readonly merchant: Address
  readonly amount: AtomicUsdc
  /** What routers, or an escrow, kept of what the buyer paid for it; absent: nothing. */
  readonly fee?: AtomicUsdc
  /** The sender of the transaction. */
  readonly facilitator: Address
  readonly evidence: number
}
