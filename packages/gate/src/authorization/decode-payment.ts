import { isRecord } from '@tollbook/flow/is-record'
import type { Problem } from '@tollbook/http/problem'
import * as z from 'zod'
import type { PaymentRequirements } from '../contract/terms.ts'
import type { OfferedPayment } from '../payment.ts'
import type { Echo } from './echoes.ts'
import { type ExtensionIssue, findChangedExtension, readIdentifier, readPermit } from './extensions.ts'
import { parseHeader } from './header.ts'
import { isSameJson } from './likeness.ts'
import { address, exactPayload } from './payload.ts'
import { readChannel } from './read-channel.ts'
import { readUpto } from './read-permit2.ts'
import { issueOf, malformed, type Refusal, refused, type Signed } from './refusal.ts'

/** The content of a route's 402: the ways to pay, and the extensions that a client echoes. */
export type Offer = {
  readonly terms: readonly PaymentRequirements[]
  /** Only extensions whose content is the same in every 402. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** The parts that clients send back verbatim; if absent, the whole header is parsed. */
  readonly echoes?: readonly Echo[]
}

/**
 * `earlier` is the payment under the terms that it names, whose price, payee or lifetime is not offered now: prices and
 * descriptions change while answers are stored. It may fetch the answer of a call that it paid for, and buys nothing.
 */
export type DecodedPayment =
  | { readonly payment: OfferedPayment }
  | { readonly problem: Problem; readonly earlier?: OfferedPayment }

/** Unlike `z.record`, it copies nothing: an echo that was recognized stays the offered object. */
const record = z.custom<Record<string, unknown>>(isRecord, 'must be an object')

const envelopeShape = z.object({
  x402Version: z.literal(2),
  resource: z.object({ url: z.string().min(1).max(2048) }).nullish(),
  accepted: record,
  payload: record,
  extensions: record.nullish(),
})

/** What may have changed since the terms were offered. The domain of the signature is never the client's choice. */
const changeableShape = z.object({
  amount: z.string().regex(/^[0-9]{1,15}$/),
  payTo: address,
  maxTimeoutSeconds: z.int().positive(),
})

/**
 * Decodes a `PAYMENT-SIGNATURE` header and matches it with the offer. Pure: signature, lifetime, balance and
 * use of the nonce are not checked. Problems carry the x402 reason code in the member `reason`.
 */
export function decodePayment(header: string, offer: Offer): DecodedPayment {
  const read = parseHeader(header, offer.echoes)
  if ('issue' in read) return { problem: malformed(read.issue, 'invalid_payload') }
  if (read.envelope.x402Version !== 2)
    return { problem: malformed('only x402 version 2 is supported', 'invalid_x402_version') }
  const parsed = envelopeShape.safeParse(read.envelope)
  if (!parsed.success) return { problem: malformed(issueOf(parsed.error), 'invalid_payload') }
  const sent = { ...parsed.data, envelope: read.envelope }

  const chosen = withoutChannelState(sent.accepted)
  const terms = offer.terms.find((candidate) => isSameJson(chosen, candidate))
  if (terms) {
    const decoded = readPayment(sent, terms)
    if ('problem' in decoded) return decoded
    const changed = findChangedExtension(sent.extensions ?? {}, offer.extensions ?? {})
    return changed ? { problem: refusedBy(changed), earlier: decoded.payment } : decoded
  }
  const problem = refused(describeDifference(chosen, offer.terms), 'invalid_payment_requirements')
  const earlier = findEarlier(chosen, offer.terms)
  const decoded = earlier ? readPayment(sent, earlier) : null
  return decoded && 'payment' in decoded ? { problem, earlier: decoded.payment } : { problem }
}

function findEarlier(chosen: Sent['accepted'], terms: Offer['terms']): PaymentRequirements | null {
  const { data } = changeableShape.safeParse(chosen)
  if (!data) return null
  const candidates = terms.map((offered) => ({ ...offered, ...data }))
  return candidates.find((candidate) => isSameJson(chosen, candidate)) ?? null
}

type Sent = z.infer<typeof envelopeShape> & { readonly envelope: unknown }

function readPayment(
  { payload, resource, extensions, envelope }: Sent,
  terms: PaymentRequirements,
): { readonly payment: OfferedPayment } | { readonly problem: Problem } {
  const signed = READERS[terms.scheme](payload, terms)
  if ('refusal' in signed) return { problem: signed.refusal }
  const identified = readIdentifier(extensions ?? {})
  if ('reason' in identified) return { problem: malformed(identified.detail, identified.reason) }
  const permitted =
    terms.scheme === 'upto'
      ? readPermit(extensions ?? {}, {
          payer: signed.payer,
          asset: terms.asset,
          amount: signed.signedAmount,
        })
      : {}
  if ('reason' in permitted) return { problem: refusedBy(permitted) }
  return {
    payment: {
      scheme: terms.scheme,
      terms,
      payload: envelope,
      ...signed,
      ...identified,
      ...permitted,
      ...(resource ? { resourceUrl: resource.url } : {}),
    },
  }
}

/** Reads a payload of `exact` and compares it with its terms. */
export function readExact(
  payload: unknown,
  terms: PaymentRequirements,
  header = 'PAYMENT-SIGNATURE',
): Signed | Refusal {
  const parsed = exactPayload.safeParse(payload)
  if (!parsed.success) return { refusal: malformed(issueOf(parsed.error), 'invalid_payload', header) }
  const { authorization, signature } = parsed.data
  if (authorization.to !== terms.payTo.toLowerCase())
    return { refusal: refused('its payee is not the offered one', 'invalid_exact_evm_recipient_mismatch') }
  if (authorization.value !== BigInt(terms.amount))
    return {
      refusal: refused(
        'its amount is not the offered one',
        'invalid_exact_evm_payload_authorization_value_mismatch',
      ),
    }
  return {
    payer: authorization.from,
    payTo: authorization.to,
    signedAmount: authorization.value,
    nonce: authorization.nonce,
    validAfter: authorization.validAfter,
    validBefore: authorization.validBefore,
    signature,
  }
}

/** How the accepted requirements differ from the offered ones of their scheme; repeats nothing of a client. */
function describeDifference(accepted: Readonly<Record<string, unknown>>, terms: Offer['terms']): string {
  const offered = terms.find(({ scheme }) => scheme === accepted.scheme)
  if (!offered) return `accepted.scheme is not offered here (${terms.map(({ scheme }) => scheme).join(', ')})`
  const [changed] = Object.entries(offered).find(([name, value]) => !isSameJson(accepted[name], value)) ?? []
  return changed ? `accepted.${changed} is not the offered one` : 'accepted has members that were not offered'
}

/** A corrective 402 adds the state of a channel to its terms, which clients send back. */
function withoutChannelState(accepted: Record<string, unknown>): Record<string, unknown> {
  if (accepted.scheme !== 'batch-settlement' || !record.safeParse(accepted.extra).success) return accepted
  const { channelState: _, voucherState: __, ...extra } = accepted.extra as Record<string, unknown>
  return { ...accepted, extra }
}

const READERS = { exact: readExact, upto: readUpto, 'batch-settlement': readChannel } as const

function refusedBy(issue: ExtensionIssue): Problem {
  return refused(issue.detail, issue.reason)
}
