import { encodePaymentRequired } from '../../catalogue/challenge/payment-required.ts'
import { decodePayment } from '../authorization/decode-payment.ts'
import { encodeSettlement } from './encode-settlement.ts'
import type { Protocol } from './protocol.ts'

/** x402 version 2: terms, payment and settlement in headers (specs/transports-v2/http.md). */
export const x402V2: Protocol = {
  find: (headers) => headers.get('payment-signature'),
  decode: (credential, { paymentRequired, echoes }) => {
    const { accepts: terms, extensions } = paymentRequired
    return decodePayment(credential, { terms, extensions, echoes })
  },
  terms: ({ paymentRequired, header }, { error, channel }) => {
    if (error === undefined) return { headers: { 'payment-required': header } }
    const { accepts } = paymentRequired
    const corrected = accepts.map((terms) =>
      terms.scheme === 'batch-settlement' ? { ...terms, extra: { ...terms.extra, ...channel } } : terms,
    )
    const required = { ...paymentRequired, accepts: corrected, error }
    return { headers: { 'payment-required': encodePaymentRequired(required) } }
  },
  settlementHeaders: (settled) => ({
    'payment-response': encodeSettlement(settled, settled.payment.terms.network),
  }),
}
