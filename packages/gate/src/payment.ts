import type { ChannelConfig } from '@tollbook/chain/digests'
import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { PaymentRequirements } from './contract/terms.ts'

/** A decoded `PAYMENT-SIGNATURE` whose requirements equal an offered one; nothing else about it is verified yet. */
export type OfferedPayment = {
  readonly scheme: 'exact' | 'upto' | 'batch-settlement'
  readonly terms: PaymentRequirements
  /** The x402 payload as decoded, passed to facilitators unchanged. */
  readonly payload: unknown
  /** Whose signature this is. Under `batch-settlement` the signer of vouchers, whoever deposited. */
  readonly payer: Address
  readonly payTo: Address
  /** What the payer signed: the amount under `exact`, the maximum under `upto`; the price under `batch-settlement`. */
  readonly signedAmount: AtomicUsdc
  /** 32 bytes: the EIP-3009 nonce, the Permit2 nonce as a big-endian word, or a hash of channel and voucher. */
  readonly nonce: Hex
  /**
   * Epoch seconds as signed. EIP-3009: valid while validAfter < block time < validBefore. Permit2: validAfter
   * <= block time <= validBefore (witness.validAfter and deadline).
   */
  readonly validAfter: number
  readonly validBefore: number
  readonly signature: Hex
  /** The `resource.url` that the client claims to pay for; not signed. */
  readonly resourceUrl?: string
  /** `exact` only, as `assetTransferMethod` of x402: what moves the money; absent: the token, by EIP-3009. */
  readonly transferMethod?: 'permit2'
  /** If Permit2 moves the money: the payer's EIP-2612 permit for Permit2, from the extension `eip2612GasSponsoring`. */
  readonly permit?: AllowancePermit
  /** `batch-settlement` only. */
  readonly channel?: ChannelPayment
  /** The client's `payment-identifier`, which never reaches the chain. */
  readonly identifier?: string
}

/** A voucher of a payment channel, with which a client also deposits or asks for a refund. JSON. */
export type ChannelPayment = {
  readonly kind: 'voucher' | 'deposit' | 'refund'
  readonly id: Hex
  readonly config: ChannelConfig
  /** Micro-USDC of the channel's whole life that the voucher allows, decimal. */
  readonly max: string
  /** Micro-USDC, decimal; of a refund, absent if it is whole. */
  readonly amount?: string
}

/**
 * An EIP-2612 permit that lets Permit2 move the signed maximum; its owner is the payer, its value the signed
 * amount.
 */
export type AllowancePermit = {
  /** Epoch seconds; valid while block time <= deadline. */
  readonly deadline: number
  /** 65 bytes. */
  readonly signature: Hex
}

/** Whether Permit2 moves the money, through the x402 proxy of the scheme. */
export function isByPermit2({
  scheme,
  transferMethod,
}: Pick<OfferedPayment, 'scheme' | 'transferMethod'>): boolean {
  return scheme === 'upto' || transferMethod === 'permit2'
}

/** What a stored transaction records of each payment in it. */
export type SentPayment = Pick<OfferedPayment, 'payer' | 'payTo' | 'nonce'>

/** (network, asset, payer, nonce) as one string: the key of the table of calls. */
export function paymentKey(payment: OfferedPayment): string {
  return [payment.terms.network, payment.terms.asset, payment.payer, payment.nonce].join('/').toLowerCase()
}
