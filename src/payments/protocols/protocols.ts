import type { RequestHead } from '../../http/request/message-request.ts'
import { mpp } from './mpp.ts'
import type { Protocol, SettledPayment, Terms, TermsContext } from './protocol.ts'
import type { RouteOffer } from './route-offer.ts'
import { x402V1 } from './x402-v1.ts'
import { x402V2 } from './x402-v2.ts'

/** Every protocol that is served. */
const PROTOCOLS: readonly Protocol[] = [x402V2, x402V1, mpp]

/** A payment as its request carries it. */
export type Credential = { readonly protocol: Protocol; readonly text: string }

/** The credentials of a request; only one may be used. */
export function findCredentials(headers: RequestHead['headers']): readonly Credential[] {
  const found: Credential[] = []
  for (const protocol of PROTOCOLS) {
    const text = protocol.find(headers)
    if (text !== null) found.push({ protocol, text })
  }
  return found
}

/** What a 402 of the route contains, in all protocols. */
export function writeTerms(offer: RouteOffer, context: TermsContext): Required<Terms> {
  const headers: Record<string, string> = {}
  const members: string[] = []
  for (const protocol of PROTOCOLS) {
    const terms = protocol.terms(offer, context)
    Object.assign(headers, terms.headers)
    if (terms.bodyMembers !== undefined) members.push(terms.bodyMembers)
  }
  return { headers, bodyMembers: members.join() }
}

/** The headers of an answer: the settlement as the client's protocol writes it, and the id of our receipt. */
export function settlementHeaders(
  protocol: Protocol,
  settled: SettledPayment,
): Readonly<Record<string, string>> {
  return { ...protocol.settlementHeaders(settled), [RECEIPT_HEADER]: settled.receiptId }
}

/** Carries the id of `GET /v1/receipts/{id}`. */
export const RECEIPT_HEADER = 'tollbook-receipt'
