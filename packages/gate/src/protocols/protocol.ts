import type { RequestHead } from '@tollbook/http/request/message-request'
import type { DecodedPayment } from '../authorization/decode-payment.ts'
import type { SignedReceipt } from '../contract/signed-offers.ts'
import type { Settlement } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import type { RouteOffer } from './route-offer.ts'

/**
 * A protocol in which clients pay: how its credential becomes a payment, and how it writes terms and
 * settlements. Ledger, rules and prices are the same for all.
 */
export type Protocol = {
  /** The credential of a request in this protocol, or null. */
  find(headers: RequestHead['headers']): string | null
  /** Pure, as `decodePayment`. */
  decode(credential: string, offer: RouteOffer): DecodedPayment
  /** What a 402 of the route contains; empty if the protocol cannot pay it. */
  terms(offer: RouteOffer, context: TermsContext): Terms
  settlementHeaders(settled: SettledPayment): Readonly<Record<string, string>>
}

export type TermsContext = {
  /** The x402 code of the error, if a payment was refused. */
  readonly error?: string
  /** Of a refused voucher: what its client signs the next one from, added to the terms of channels. */
  readonly channel?: Readonly<Record<string, unknown>>
  /** Different for every request. */
  readonly requestId: string
  readonly now: Date
}

export type Terms = {
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the JSON body, without the braces. */
  readonly bodyMembers?: string
}

export type SettledPayment = {
  readonly payment: OfferedPayment
  readonly receiptId: string
  readonly settlement: Settlement
  /** Absent if the seller signs none, or nothing is settled. */
  readonly receipt?: SignedReceipt | undefined
}
