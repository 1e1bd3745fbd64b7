import * as z from 'zod'
import type { Problem } from '../../catalogue/problem.ts'
import type { PaymentTerms } from '../../catalogue/terms.ts'
import { BASE } from '../../money/base.ts'
import type { Hex, OfferedPayment } from '../payment.ts'
import type { Echo } from './echoes.ts'
import { type ExtensionFault, findChangedExtension, readIdentifier, readPermit } from './extensions.ts'
import { parseHeader } from './header.ts'
import { isSameJson } from './likeness.ts'
import { exactPayload, uptoPayload } from './payload.ts'

/** What the 402 of a route says: the ways to pay, and the extensions that a client echoes. */
export type Offer = {
  readonly terms: readonly PaymentTerms[]
  /** Only those whose content does not change from one 402 to the next. */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** What of it clients send back letter for letter; without them all is parsed. */
  readonly echoes?: readonly Echo[]
}

export type DecodedPayment = { readonly payment: OfferedPayment } | { readonly problem: Problem }

/** The fields of an OfferedPayment that the scheme's payload says. */
type Signed = Pick<
  OfferedPayment,
  'payer' | 'payTo' | 'signedAmount' | 'nonce' | 'validAfter' | 'validBefore' | 'signature'
>
type Refusal = { readonly refusal: Problem }

/** Unlike `z.record`, it copies nothing: what is read of an echo stays what was offered. */
const record = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)

const envelopeShape = z.object({
  x402Version: z.literal(2),
  resource: z.object({ url: z.string().min(1).max(2048) }).nullish(),
  accepted: record,
  payload: record,
  extensions: record.nullish(),
})

/**
 * Reads a `PAYMENT-SIGNATURE` header against what was offered. Pure: neither signature, lifetime, balance nor
 * use is proven. Its problems carry the x402 reason code as member `reason`.
 */
export function decodePayment(header: string, offer: Offer): DecodedPayment {
  const read = parseHeader(header, offer.echoes)
  if ('fault' in read) return { problem: malformed(read.fault, 'invalid_payload') }
  if (read.envelope.x402Version !== 2)
    return { problem: malformed('only x402 version 2 is spoken here', 'invalid_x402_version') }
  const parsed = envelopeShape.safeParse(read.envelope)
  if (!parsed.success) return { problem: malformed(faultOf(parsed.error), 'invalid_payload') }
  const { accepted, payload, resource } = parsed.data
  const extensions = parsed.data.extensions ?? {}

  const terms = offer.terms.find((candidate) => isSameJson(accepted, candidate))
  if (!terms)
    return {
      problem: refused('the accepted terms are none of those offered', 'invalid_payment_requirements'),
    }
  const signed = terms.scheme === 'exact' ? readExact(payload, terms) : readUpto(payload, terms)
  if ('refusal' in signed) return { problem: signed.refusal }

  const changed = findChangedExtension(extensions, offer.extensions ?? {})
  if (changed) return { problem: refusedBy(changed) }
  const identified = readIdentifier(extensions)
  if ('reason' in identified) return { problem: malformed(identified.detail, identified.reason) }
  const permitted =
    terms.scheme === 'upto'
      ? readPermit(extensions, { payer: signed.payer, asset: terms.asset, amount: signed.signedAmount })
      : {}
  if ('reason' in permitted) return { problem: refusedBy(permitted) }

  return {
    payment: {
      scheme: terms.scheme,
      terms,
      payload: read.envelope,
      ...signed,
      ...identified,
      ...permitted,
      ...(resource ? { resourceUrl: resource.url } : {}),
    },
  }
}

function readExact(payload: unknown, terms: PaymentTerms): Signed | Refusal {
  const parsed = exactPayload.safeParse(payload)
  if (!parsed.success) return { refusal: malformed(faultOf(parsed.error), 'invalid_payload') }
  const { authorization, signature } = parsed.data
  if (authorization.to !== terms.payTo.toLowerCase())
    return { refusal: refused('it pays another wallet', 'invalid_exact_evm_recipient_mismatch') }
  if (authorization.value !== BigInt(terms.amount))
    return {
      refusal: refused('it pays another amount', 'invalid_exact_evm_payload_authorization_value_mismatch'),
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

function readUpto(payload: unknown, terms: PaymentTerms): Signed | Refusal {
  const parsed = uptoPayload.safeParse(payload)
  if (!parsed.success) return { refusal: malformed(faultOf(parsed.error), 'invalid_payload') }
  const { permit2Authorization: permit, signature } = parsed.data
  const facilitator = String(terms.extra.facilitatorAddress ?? '').toLowerCase()
  if (permit.spender !== BASE.uptoPermit2Proxy.toLowerCase())
    return { refusal: refused('its spender is not the x402 upto proxy', 'invalid_permit2_spender') }
  if (permit.witness.to !== terms.payTo.toLowerCase())
    return { refusal: refused('it pays another wallet', 'invalid_permit2_recipient_mismatch') }
  if (permit.witness.facilitator !== facilitator)
    return { refusal: refused('it names another facilitator', 'upto_facilitator_mismatch') }
  if (permit.permitted.amount !== BigInt(terms.amount))
    return { refusal: refused('its maximum is another amount', 'permit2_amount_mismatch') }
  if (permit.permitted.token !== terms.asset.toLowerCase())
    return { refusal: refused('it is for another token', 'permit2_token_mismatch') }
  return {
    payer: permit.from,
    payTo: permit.witness.to,
    signedAmount: permit.permitted.amount,
    nonce: `0x${permit.nonce.toString(16).padStart(64, '0')}` satisfies Hex,
    validAfter: permit.witness.validAfter,
    validBefore: permit.deadline,
    signature,
  }
}

function malformed(detail: string, reason: string): Problem {
  return { code: 'payment_malformed', detail: `PAYMENT-SIGNATURE: ${detail}`, members: { reason } }
}

function refused(detail: string, reason: string): Problem {
  return { code: 'payment_invalid', detail: `the payment was refused: ${detail}`, members: { reason } }
}

function refusedBy(fault: ExtensionFault): Problem {
  return refused(fault.detail, fault.reason)
}

/** Names the place of the first fault, never the value. */
function faultOf(error: z.ZodError): string {
  const issue = error.issues[0]
  if (!issue) return 'the payload is malformed'
  const place = issue.path.join('.')
  return issue.code === 'unrecognized_keys'
    ? `${place || 'the payload'} holds fields that are not of this scheme`
    : `${place || 'the payload'}: ${issue.message}`
}
