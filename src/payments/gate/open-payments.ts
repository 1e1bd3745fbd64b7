import { type Problem, ProblemError } from '../../http/problem.ts'
import { toProblem } from '../../http/reply/problem-document.ts'
import { createSignatureChecker } from '../authorization/check-signature.ts'
import { createAdmission } from './admission.ts'
import { createBufferedCalls } from './buffered-call.ts'
import type { GateSettings } from './gate-options.ts'
import { createHandlerRuns } from './handler-run.ts'
import type { Ledger } from './open-ledger.ts'
import type { Sale } from './open-sale.ts'
import { createPayerProof } from './payer-proof.ts'
import { createPrepaidCalls } from './prepaid-call.ts'
import { createPresentedPayments, type PresentedPayments } from './presented-payment.ts'
import { createRepeatAccess, type RepeatAccess } from './repeat-access.ts'
import { createRepeatedCalls } from './repeated-call.ts'
import { createStreamedCalls } from './streamed-call.ts'

/** What serves a request with a payment, from its signature to its settled answer, or with the proof of an earlier one. */
export function openPayments(
  options: GateSettings & Ledger & Sale,
): PresentedPayments & { readonly repeat: RepeatAccess } {
  const explain = (error: unknown): Problem => {
    if (!(error instanceof ProblemError)) options.logger.error({ err: error }, 'paid handler failed')
    return toProblem(error)
  }
  const parts = { ...options, explain }
  const proof = createPayerProof(parts)
  const prepaid = createPrepaidCalls({ ...parts, proof })
  const admission = createAdmission({ ...parts, checker: createSignatureChecker() })
  const buffered = createBufferedCalls(parts)
  const streamed = createStreamedCalls(parts)
  const { run, rerun } = createHandlerRuns({ ...parts, admission, prepaid, buffered, streamed })
  const repeated = createRepeatedCalls({ ...parts, proof, buffered, run, rerun })
  const presented = createPresentedPayments({ ...parts, admission, repeated, prepaid, run })
  return { ...presented, repeat: createRepeatAccess({ ...parts, proof }) }
}
