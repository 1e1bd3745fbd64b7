import { findNetwork } from '@tollbook/chain/network'
import type { RequestHead } from '@tollbook/http/request/message-request'
import * as z from 'zod'
import { decodePayment, readExact } from '../authorization/decode-payment.ts'
import { parseHeader } from '../authorization/header.ts'
import { issueOf, malformed, refused } from '../authorization/refusal.ts'
import { encodePaymentRequired } from '../challenge/payment-required.ts'
import { encodeSettlement } from './encode-settlement.ts'
import { mpp } from './mpp.ts'
import type { Protocol, SettledPayment, Terms, TermsContext } from './protocol.ts'
import type { RouteOffer } from './route-offer.ts'

/** x402 version 2: terms, payment and settlement in headers (specs/transports-v2/http.md). */
const x402V2: Protocol = {
  find: (headers) => headers.get('payment-signature'),
  decode: (credential, { paymentRequired, echoes }) => {
    const { accepts: terms, extensions } = paymentRequired
    return decodePayment(credential, { terms, extensions, echoes })
  },
  terms: ({ brief, header }, { error, channel }) => {
    if (error === undefined) return { headers: { 'payment-required': header } }
    const corrected = brief.accepts.map((terms) =>
      terms.scheme === 'batch-settlement' ? { ...terms, extra: { ...terms.extra, ...channel } } : terms,
    )
    const required = { ...brief, accepts: corrected, error }
    return { headers: { 'payment-required': encodePaymentRequired(required) } }
  },
  settlementHeaders: (settled) => ({
    'payment-response': encodeSettlement(settled, settled.payment.terms.network),
  }),
}

/** Strict: an envelope with members of version 2 could be read as either version. */
const envelopeShape = z.strictObject({
  x402Version: z.literal(1),
  scheme: z.string(),
  network: z.string(),
  payload: z.unknown(),
})

/**
 * x402 version 1: terms in the body of the 402, payment in `X-PAYMENT` (specs/transports-v1/http.md). Its
 * payments name scheme and network; payee and amount are those that were signed.
 */
const x402V1: Protocol = {
  find: (headers) => headers.get('x-payment'),
  decode: (credential, { paymentRequired }) => {
    const read = parseHeader(credential)
    if ('issue' in read) return { problem: malformed(read.issue, 'invalid_payload', HEADER) }
    if (read.envelope.x402Version !== 1)
      return { problem: malformed('it is not x402 version 1', 'invalid_x402_version', HEADER) }
    const parsed = envelopeShape.safeParse(read.envelope)
    if (!parsed.success) return { problem: malformed(issueOf(parsed.error), 'invalid_payload', HEADER) }
    const { scheme, network, payload } = parsed.data
    const { accepts, resource } = paymentRequired
    const terms = accepts.find((candidate) => candidate.scheme === 'exact')
    if (scheme !== 'exact' || !terms)
      return { problem: refused('version 1 pays `exact` only, where it is offered', 'invalid_scheme') }
    if (network !== findNetwork(terms.network)?.nameV1)
      return { problem: refused('its network is not the offered one', 'invalid_network') }
    const signed = readExact(payload, terms, HEADER)
    if ('refusal' in signed) return { problem: signed.refusal }
    const equivalent = { x402Version: 2, resource, accepted: terms, payload }
    return { payment: { scheme: 'exact', terms, payload: equivalent, ...signed } }
  },
  terms: ({ versionOne }) => ({ bodyMembers: versionOne }),
  settlementHeaders: (settled) => {
    const { network } = settled.payment.terms
    return { 'x-payment-response': encodeSettlement(settled, findNetwork(network)?.nameV1 ?? network) }
  },
}

const HEADER = 'X-PAYMENT'

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
