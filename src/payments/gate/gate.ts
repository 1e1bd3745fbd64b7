import type { Exchange } from '../../catalogue/exchange.ts'
import { peekWeighed } from '../../catalogue/serving/read-weighed.ts'
import { type Problem, ProblemError } from '../../http/problem.ts'
import { toProblem } from '../../http/reply/problem-document.ts'
import type { Reply } from '../../http/reply/reply.ts'
import { tooMany } from '../../http/request/rate-limit.ts'
import { createSignatureChecker } from '../authorization/check-signature.ts'
import { findCredentials } from '../protocols/protocols.ts'
import { createAdmission } from './admission.ts'
import { createBufferedCalls } from './buffered-call.ts'
import { createCallBudgets } from './call-budgets.ts'
import { type GateOptions, type GateSettings, type TollGate, withDefaults } from './gate-options.ts'
import { createHandlerRuns } from './handler-run.ts'
import { createHeartbeat } from './heartbeat.ts'
import { type Ledger, openLedger } from './open-ledger.ts'
import { openSale, type Sale } from './open-sale.ts'
import { createPayerProof } from './payer-proof.ts'
import { createPrepaidCalls } from './prepaid-call.ts'
import { createPresentedPayments, type PresentedPayments } from './presented-payment.ts'
import { findReceipt } from './receipt.ts'
import { createRepeatAccess, type RepeatAccess } from './repeat-access.ts'
import { createRepeatedCalls } from './repeated-call.ts'
import { createStreamedCalls } from './streamed-call.ts'

/** How long a closing gate waits for running calls; the recovery of other processes takes over the rest. */
const DRAIN_MS = 30_000

const SEVERAL_PAYMENTS: Problem = {
  code: 'payment_malformed',
  detail: 'The request has payments of more than one protocol. Send one of them.',
  members: { reason: 'several_payments' },
}

/**
 * Creates the gate of one process. Several processes may share one state store and one facilitator key.
 * @throws the state store's own error if it cannot be read.
 */
export async function createGate(options: GateOptions): Promise<TollGate> {
  const settings = withDefaults(options)
  const { state, limiter, count, limits } = settings
  const ledger = await openLedger(settings)
  const sale = openSale({ ...settings, ...ledger })
  const parts = { ...settings, ...ledger, ...sale }
  const payments = openPayments(parts)
  const heartbeat = createHeartbeat({ ...parts, everyMs: limits.heartbeatMs })
  const { challenges, refusals, health } = sale
  const { owner, recovery } = ledger

  async function serve(exchange: Exchange): Promise<Reply> {
    const [credential, second] = findCredentials(exchange.request.headers)
    const isPeeked = !credential && exchange.isUndecided
    const excess = isPeeked ? await peekWeighed(exchange, limiter) : null
    if (excess) return refusals.refuse(exchange, excess)
    const signing = challenges.prepare(exchange)
    if (signing) await signing
    if (second) return refusals.refuse(exchange, SEVERAL_PAYMENTS)
    const closed = sale.closedProblem(exchange)
    if (credential && challenges.isPayable(exchange)) return payments.serve(exchange, credential, closed)
    if (closed) return refusals.refuse(exchange, closed)
    const repeated = exchange.endpoint.repeatAccess ? await payments.repeat(exchange) : null
    if (repeated) return repeated
    const { waitSeconds } = isPeeked ? { waitSeconds: 0 } : limiter.openQuestion(exchange.clientAddress)
    if (waitSeconds > 0) return refusals.refuse(exchange, tooMany(waitSeconds))
    count({ kind: 'challenged', service: exchange.service.name, endpoint: exchange.endpoint.id })
    return challenges.challenge(exchange)
  }

  return {
    serve: async (exchange) => {
      try {
        return await serve(exchange)
      } catch (error) {
        const full = health.noteError(error)
        if (!full) throw error
        return refusals.refuse(exchange, full)
      }
    },
    start: heartbeat.start,
    recover: () => recovery.recover(),
    health: () => {
      const problem = health.problem()
      return { isHealthy: problem === null, detail: problem?.detail ?? 'payments can be taken' }
    },
    settlementCost: health.settlementCost,
    gasLeft: health.gasLeft,
    opening: health.opening,
    findReceipt: (id) => findReceipt(state, id),
    close: async () => {
      await Promise.race([owner.drained(), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())])
      await heartbeat.stop()
      await owner.resign()
    },
  }
}

/** What serves a request with a payment, from its signature to its settled answer, or with the proof of an earlier one. */
function openPayments(
  options: GateSettings & Ledger & Sale,
): PresentedPayments & { readonly repeat: RepeatAccess } {
  const explain = (error: unknown): Problem => {
    const full = options.health.noteError(error)
    if (full) return full
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
  const openBudget = createCallBudgets({ ...parts, admission })
  const presented = createPresentedPayments({ ...parts, admission, openBudget, repeated, prepaid, run })
  return { ...presented, repeat: createRepeatAccess({ ...parts, proof }) }
}
