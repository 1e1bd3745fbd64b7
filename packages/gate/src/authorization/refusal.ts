import type { Problem } from '@tollbook/http/problem'
import type * as z from 'zod'
import type { OfferedPayment } from '../payment.ts'

/** The fields of an OfferedPayment that come from the scheme's payload. */
export type Signed = Pick<
  OfferedPayment,
  | 'payer'
  | 'payTo'
  | 'signedAmount'
  | 'nonce'
  | 'validAfter'
  | 'validBefore'
  | 'signature'
  | 'transferMethod'
  | 'channel'
>
export type Refusal = { readonly refusal: Problem }

/** @param header the name of the header that cannot be read. */
export function malformed(detail: string, reason: string, header = 'PAYMENT-SIGNATURE'): Problem {
  return { code: 'payment_malformed', detail: `${header}: ${detail}`, members: { reason } }
}

export function refused(detail: string, reason: string): Problem {
  return { code: 'payment_invalid', detail: `the payment was rejected: ${detail}`, members: { reason } }
}

/** Names the field of the first issue, never its value. */
export function issueOf(error: z.ZodError): string {
  const issue = error.issues[0]
  if (!issue) return 'the payload is malformed'
  const place = issue.path.join('.')
  return issue.code === 'unrecognized_keys'
    ? `${place || 'the payload'} has fields that are not part of this scheme`
    : `${place || 'the payload'}: ${issue.message}`
}
