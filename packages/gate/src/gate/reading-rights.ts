import type { Problem } from '@tollbook/http/problem'
import type { CallRow } from '../calls/call-row.ts'
import type { PaidCall } from './paid-call.ts'
import type { PayerProof } from './payer-proof.ts'
import { SIGN_IN_WITH_X } from './sign-in-with-x.ts'

/** How long the answer of a public endpoint is repeated to anyone who sends the payment again. */
const FREELY_MS = 10 * 60_000
/** How long answers are stored, for callers who prove to be the payer. */
export const KEPT_MS = 24 * 60 * 60_000

/**
 * Why a settled answer is not sent to this caller, or null. Once settled, all of a payment except its
 * identifier can be reconstructed from the chain, so repeating it proves little.
 */
export async function mayRead(reading: {
  readonly call: PaidCall
  readonly row: CallRow
  readonly proof: PayerProof
  readonly now: Date
}): Promise<Problem | null> {
  const { call, row, proof, now } = reading
  const ageMs = now.getTime() - (row.settled_at ?? 0)
  if (ageMs > KEPT_MS) return spent('Its answer is no longer stored.')
  if (row.identifier !== null && row.identifier === call.reservation.identifier) return null
  const isSame = row.fingerprint === call.reservation.fingerprint
  if (isSame && row.scope === 'public' && ageMs <= FREELY_MS && call.isKeySigned) return null
  if (await proof.isGiven(call)) return null
  return proofRequired(call, proof)
}

/** The problem for a caller who has shown nothing but a payment that is public by now. */
export function proofRequired(call: Parameters<PayerProof['challenge']>[0], proof: PayerProof): Problem {
  return {
    code: 'payer_proof_required',
    detail:
      'This payment is public by now. Repeat the payment-identifier of the first request, or send SIGN-IN-WITH-X.',
    members: { extensions: { [SIGN_IN_WITH_X]: proof.challenge(call) } },
  }
}

/** The payment has been used. */
export function spent(detail: string): Problem {
  return { code: 'payment_spent', detail: `This payment has been used. ${detail}` }
}
