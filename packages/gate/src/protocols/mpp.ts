import * as z from 'zod'
import { type DecodedPayment, readExact } from '../authorization/decode-payment.ts'
import { parseHeader } from '../authorization/header.ts'
import { issueOf, malformed, refused } from '../authorization/refusal.ts'
import { type MppOffer, nonceOfChallenge } from './mpp-offer.ts'
import type { Protocol } from './protocol.ts'

const credentialShape = z.strictObject({
  challenge: z.strictObject({
    id: z.string(),
    realm: z.string(),
    method: z.string(),
    intent: z.string(),
    request: z.string(),
    expires: z.iso.datetime(),
    opaque: z.string(),
  }),
  payload: z.looseObject({ type: z.literal('authorization'), signature: z.unknown() }),
  source: z.string().optional(),
})

/**
 * Machine Payments Protocol: `WWW-Authenticate: Payment` (draft-httpauth-payment-00) with the method evm and
 * its EIP-3009 credential, whose nonce is the hash of its challenge.
 */
export const mpp: Protocol = {
  find: (headers) => {
    const header = headers.get('authorization')
    return header !== null && /^payment(?: |$)/i.test(header) ? header.slice('payment '.length).trim() : null
  },
  decode: (credential, { mpp: offer, paymentRequired }) => {
    if (!offer) return { problem: refused('this endpoint cannot be paid by MPP', 'invalid_scheme') }
    const decoded = decodeCredential(credential, offer)
    // The draft wants a new challenge for what cannot be read, too.
    if ('problem' in decoded) return { problem: { ...decoded.problem, code: 'payment_invalid' } }
    const { payload, ...payment } = decoded.payment
    const { resource } = paymentRequired
    return { payment: { ...payment, payload: { x402Version: 2, resource, accepted: offer.terms, payload } } }
  },
  terms: ({ mpp: offer }, context) =>
    offer ? { headers: { 'www-authenticate': offer.write(context) } } : {},
  settlementHeaders: ({ settlement }) => {
    if (settlement.outcome !== 'settled') return {}
    const { transaction, settledAt } = settlement
    const timestamp = new Date(settledAt ?? Date.now()).toISOString()
    const receipt = { status: 'success', method: 'evm', timestamp, reference: transaction }
    return { 'payment-receipt': Buffer.from(JSON.stringify(receipt)).toString('base64url') }
  },
}

function decodeCredential(text: string, offer: MppOffer): DecodedPayment {
  const read = parseHeader(text, [], 'base64url')
  if ('issue' in read) return { problem: malformed(read.issue, 'invalid_payload', HEADER) }
  const parsed = credentialShape.safeParse(read.envelope)
  if (!parsed.success) return { problem: malformed(issueOf(parsed.error), 'invalid_payload', HEADER) }
  const { challenge, source } = parsed.data
  const { id, expires } = challenge
  const { fixed } = offer
  const isOurs = FIXED_NAMES.every((name) => challenge[name] === fixed[name])
  if (!isOurs || id !== offer.idOf(challenge))
    return { problem: refused('its challenge is not one of this endpoint', 'invalid_challenge') }
  const { type: _, signature, ...authorization } = parsed.data.payload
  const payload = { signature, authorization }
  const signed = readExact(payload, offer.terms, HEADER)
  if ('refusal' in signed) return { problem: signed.refusal }
  if (signed.nonce !== nonceOfChallenge(challenge))
    return { problem: refused('its nonce is not the hash of its challenge', 'invalid_challenge') }
  if (signed.validBefore * 1000 > Date.parse(expires))
    return { problem: refused('it outlives its challenge', 'invalid_challenge') }
  if (source !== undefined && source.toLowerCase() !== `did:pkh:${offer.terms.network}:${signed.payer}`)
    return { problem: refused('its source is not the payer', 'invalid_source') }
  return { payment: { scheme: 'exact', terms: offer.terms, payload, ...signed } }
}

const HEADER = 'Authorization'
const FIXED_NAMES = ['realm', 'method', 'intent', 'request'] as const
