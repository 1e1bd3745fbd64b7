import { type Problem, ProblemError } from '@tollbook/http/problem'
import { toProblem } from '@tollbook/http/reply/problem-document'
import { createSignatureChecker } from '../authorization/check-signature.ts'
import { Admission } from './admission.ts'
import { BufferedCalls } from './buffered-call.ts'
import { CallBudgets } from './call-budgets.ts'
import type { GateSettings } from './gate-options.ts'
import { HandlerRuns } from './handler-run.ts'
import { PaymentMatcher } from './match-payment.ts'
import type { OpenCalls } from './open-calls.ts'
import type { Sale } from './open-sale.ts'
import { createPayerProof } from './payer-proof.ts'
import { PrepaidCalls } from './prepaid-call.ts'
import { PresentedPayments } from './presented-payment.ts'
import { RepeatAccess } from './repeat-access.ts'
import { RepeatedCalls } from './repeated-call.ts'
import { SettledCalls } from './settled-call.ts'
import { StreamedCalls } from './streamed-call.ts'

/** What serves requests with a payment, or with the proof of an earlier one. */
export type Payments = { readonly presented: PresentedPayments; readonly repeatAccess: RepeatAccess }

/** Opens the stages of a paid call, from its signature to its settled answer; each stage names those that it uses. */
export function openPayments(settings: GateSettings, opened: OpenCalls, sale: Sale): Payments {
  const { state, facilitator, chainReader, seller, limiter, payerLimiter, logger, clock, count } = settings
  const { calls, answers, owner, keyedHash, exposure, payerCodes, credit, settler, recovery } = opened
  const { vouchers, refunds } = opened.channels
  const { challenges, refusals, gasShare, health, closedProblem } = sale

  const explain = (error: unknown): Problem => {
    const full = health.noteError(error)
    if (full) return full
    if (!(error instanceof ProblemError)) logger.error({ err: error }, 'paid handler failed')
    return toProblem(error)
  }
  const proof = createPayerProof({ state, clock, verifyMessage: settings.verifyMessage })
  const prepaid = new PrepaidCalls({ chainReader, proof, logger, clock })
  const admission = new Admission({
    checker: createSignatureChecker(),
    facilitator,
    chainReader,
    exposure,
    payerCodes,
    credit,
    vouchers,
    gasShare,
    payerLimiter,
    logger,
  })
  const buffered = new BufferedCalls({ calls, answers, settler, refusals, seller })
  const runs = new HandlerRuns({
    calls,
    exposure,
    admission,
    prepaid,
    buffered,
    streamed: new StreamedCalls({
      calls,
      answers,
      exposure,
      settler,
      refusals,
      seller,
      explain,
      clock,
    }),
    refusals,
    explain,
    clock,
    owner,
  })
  const settled = new SettledCalls({
    calls,
    answers,
    settler,
    owner,
    proof,
    vouchers,
    buffered,
    runs,
    refusals,
    seller,
    clock,
    count,
  })
  const presented = new PresentedPayments({
    calls,
    budgets: new CallBudgets({ admission, limiter, payerLimiter, clock }),
    matcher: new PaymentMatcher({ challenges, clock }),
    admission,
    challenges,
    refusals,
    refunds,
    prepaid,
    runs,
    repeated: new RepeatedCalls({ calls, settled, recovery, vouchers, refusals, runs, clock }),
    closedProblem,
    keyedHash,
    clock,
  })
  const repeatAccess = new RepeatAccess({
    state,
    proof,
    refusals,
    keyedHash,
    seller,
    limiter,
    payerLimiter,
    explain,
    clock,
    count,
  })
  return { presented, repeatAccess }
}
