import type { PaymentPayload, PaymentRequired, PaymentRequirements } from '@x402/core/types'
import type { LocalAccount } from 'viem'

/** What a 402 requests in one protocol, in the form of x402 version 2. */
export type Requested = {
  readonly required: PaymentRequired
  /** Absent: x402 version 2. */
  readonly protocol?: OtherProtocol
}

/** How a protocol other than x402 version 2 is paid. */
export type OtherProtocol = {
  /** Absent: signed as in version 2. */
  readonly sign?: (account: LocalAccount, terms: PaymentRequirements) => Promise<Payload>
  /** The header that carries the payment. */
  readonly seal: (payload: Payload) => SentAs
}

export type Payload = PaymentPayload['payload']
export type SentAs = readonly [header: string, value: string]

/** A payment in the form of version 2, with the header that carries it in another protocol. */
export type SignedPayment = PaymentPayload & { readonly sentAs?: SentAs }
