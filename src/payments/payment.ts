import type { Address } from '../catalogue/endpoint.ts'
import type { PaymentTerms } from '../catalogue/terms.ts'
import type { AtomicUsdc } from '../money/usdc.ts'

export type Hex = `0x${string}`

/** A decoded `PAYMENT-SIGNATURE` whose terms equal one that was offered; nothing else about it is proven yet. */
export type OfferedPayment = {
  readonly scheme: 'exact' | 'upto'
  readonly terms: PaymentTerms
  /** The x402 payload as decoded, handed on to facilitators unchanged. */
  readonly payload: unknown
  readonly payer: Address
  readonly payTo: Address
  /** What the payer signed: the amount under `exact`, the maximum under `upto`. */
  readonly signedAmount: AtomicUsdc
  /** 32 bytes: the EIP-3009 nonce, or the Permit2 nonce as a big-endian word. */
  readonly nonce: Hex
  /** Epoch seconds; the authorization counts while validAfter < now < validBefore. */
  readonly validAfter: number
  readonly validBefore: number
  readonly signature: Hex
  /** The client's `payment-identifier`, which never reaches the chain. */
  readonly identifier?: string
}

/** (network, asset, payer, nonce) as one text: the key of the nonce ledger. */
export function paymentKey(payment: OfferedPayment): string {
  return [payment.terms.network, payment.terms.asset, payment.payer, payment.nonce].join('/').toLowerCase()
}
