import * as z from 'zod'
import { BASE } from '../../money/base.ts'
import { readExact } from '../authorization/decode-payment.ts'
import { parseHeader } from '../authorization/header.ts'
import { faultOf, malformed, refused } from '../authorization/refusal.ts'
import { encodeSettlement } from './encode-settlement.ts'
import type { Protocol } from './protocol.ts'

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
export const x402V1: Protocol = {
  find: (headers) => headers.get('x-payment'),
  decode: (credential, { paymentRequired }) => {
    const read = parseHeader(credential)
    if ('fault' in read) return { problem: malformed(read.fault, 'invalid_payload', HEADER) }
    if (read.envelope.x402Version !== 1)
      return { problem: malformed('it is not x402 version 1', 'invalid_x402_version', HEADER) }
    const parsed = envelopeShape.safeParse(read.envelope)
    if (!parsed.success) return { problem: malformed(faultOf(parsed.error), 'invalid_payload', HEADER) }
    const { scheme, network, payload } = parsed.data
    const { accepts, resource } = paymentRequired
    const terms = accepts.find((candidate) => candidate.scheme === 'exact')
    if (scheme !== 'exact' || !terms)
      return { problem: refused('version 1 pays `exact` only, where it is offered', 'invalid_scheme') }
    if (network !== BASE.networkV1)
      return { problem: refused('its network is not the offered one', 'invalid_network') }
    const signed = readExact(payload, terms, HEADER)
    if ('refusal' in signed) return { problem: signed.refusal }
    const equivalent = { x402Version: 2, resource, accepted: terms, payload }
    return { payment: { scheme: 'exact', terms, payload: equivalent, ...signed } }
  },
  terms: ({ versionOne }) => ({ bodyMembers: versionOne }),
  settlementHeaders: (settled) => ({ 'x-payment-response': encodeSettlement(settled, BASE.networkV1) }),
}

const HEADER = 'X-PAYMENT'
