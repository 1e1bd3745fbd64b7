import type { Exchange } from '../../catalogue/exchange.ts'
import { readAvailability } from '../../catalogue/routes/read-availability.ts'
import { type Problem, ProblemError } from '../../http/problem.ts'
import { toProblem } from '../../http/reply/problem-document.ts'
import type { Reply } from '../../http/reply/reply.ts'
import { tooMany } from '../../http/request/rate-limit.ts'
import { createSignatureChecker } from '../authorization/check-signature.ts'
import { createAnswerStore } from '../ledger/answers.ts'
import { createAuthorizations } from '../ledger/authorization-rows.ts'
import { createExposure } from '../ledger/exposure.ts'
import { loadKeyedHash } from '../ledger/keyed-hash.ts'
import { createOwner } from '../ledger/owners.ts'
import { createPayerCodes } from '../ledger/payer-codes.ts'
import { createPayerCredit } from '../ledger/payer-credit.ts'
import { createRecovery } from '../ledger/recovery.ts'
import { createSettler } from '../ledger/settler.ts'
import { createAdmission } from './admission.ts'
import { createBufferedCalls } from './buffered-call.ts'
import { createChallenges } from './challenge.ts'
import { createGasShare } from './gas-share.ts'
import { DEFAULT_LIMITS, type GateOptions, type TollGate } from './gate-options.ts'
import { createHandlerRuns } from './handler-run.ts'
import { createSaleHealth } from './health.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createPayerProof } from './payer-proof.ts'
import { createPrepaidCalls } from './prepaid-call.ts'
import { createPresentedPayments } from './presented-payment.ts'
import { findReceipt } from './receipt.ts'
import { createRefusals } from './refusals.ts'
import { createRepeatedCalls } from './repeated-call.ts'
import { createStreamedCalls } from './streamed-call.ts'

/** How long a closing gate waits for running calls; the recovery of other processes takes over the rest. */
const DRAIN_MS = 30_000

/**
 * Creates the gate of one process. Several processes may share one state store and one facilitator key.
 * @throws the state store's own error if it cannot be read.
 */
export async function createGate(options: GateOptions): Promise<TollGate> {
  const { state, facilitator, chainReader, limiter, payerLimiter, logger, dataDir } = options
  const { clock = () => new Date(), count = () => {} } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { resendAfterMs, settleMs, leaseMs } = limits

  const keyedHash = await loadKeyedHash(state)
  const owner = await createOwner({ state, leaseMs, leaseTime: options.leaseTime })
  const authorizations = createAuthorizations({ state, owner, clock })
  const answers = createAnswerStore({ state, dataDir })
  const credit = createPayerCredit({ state, barMs: limits.barMs, clock })
  const exposure = createExposure({
    state,
    chainReader,
    credit,
    limits,
    clock,
  })
  const payerCodes = createPayerCodes({ state, limits, clock })
  const settler = createSettler({
    authorizations,
    exposure,
    payerCodes,
    credit,
    facilitator,
    chainReader,
    logger,
    clock,
    settleMs,
    count,
  })
  const recovery = createRecovery({
    state,
    owner,
    authorizations,
    answers,
    settler,
    chainReader,
    logger,
    clock,
    resendAfterMs,
  })

  const challenges = createChallenges(options.seller)
  const refusals = createRefusals({ challenges, count })
  const health = createSaleHealth({ facilitator, dataDir, freeBytes: limits.freeBytes, logger, clock })
  const gasShare = createGasShare({
    maxGasPercent: limits.maxGasPercent,
    settlementCost: health.settlementCost,
  })
  const checker = createSignatureChecker()
  const admission = createAdmission({
    checker,
    facilitator,
    chainReader,
    exposure,
    payerCodes,
    gasShare,
    payerLimiter,
    logger,
  })
  const buffered = createBufferedCalls({ authorizations, answers, settler, refusals })
  const streamed = createStreamedCalls({
    authorizations,
    answers,
    exposure,
    settler,
    refusals,
    explain,
    clock,
  })
  const proof = createPayerProof({ state, clock, verifyMessage: options.verifyMessage })
  const prepaid = createPrepaidCalls({ chainReader, proof, logger, clock })
  const runs = createHandlerRuns({
    authorizations,
    admission,
    prepaid,
    buffered,
    streamed,
    refusals,
    explain,
    clock,
    releaseClaim,
  })
  const repeated = createRepeatedCalls({
    authorizations,
    answers,
    settler,
    recovery,
    proof,
    buffered,
    refusals,
    clock,
    releaseClaim,
    count,
    run: runs.run,
    rerun: runs.rerun,
  })
  const presented = createPresentedPayments({
    authorizations,
    admission,
    challenges,
    refusals,
    repeated,
    prepaid,
    run: runs.run,
    keyedHash,
    limiter,
    clock,
  })
  const heartbeat = createHeartbeat({
    state,
    owner,
    recovery,
    health,
    answers,
    logger,
    clock,
    everyMs: limits.heartbeatMs,
  })

  function releaseClaim(claim: { readonly token: string }): void {
    owner.release(claim.token)
  }

  function explain(error: unknown): Problem {
    if (!(error instanceof ProblemError)) logger.error({ err: error }, 'paid handler failed')
    return toProblem(error)
  }

  /** Why the endpoint cannot be sold to anyone now, or null. */
  function closedProblem(exchange: Exchange): Problem | null {
    const { endpoint, service } = exchange
    const availability = readAvailability(service, endpoint)
    if (!availability.isAvailable) return availability.problem
    if (!challenges.isPayable(exchange)) return NOT_PAYABLE
    return health.problem() ?? gasShare.problem(endpoint.pricing)
  }

  async function serve(exchange: Exchange): Promise<Reply> {
    const closed = closedProblem(exchange)
    const header = exchange.request.headers.get('payment-signature')
    if (header !== null && challenges.isPayable(exchange)) return presented.serve(exchange, header, closed)
    if (closed) return refusals.refuse(exchange, closed)
    const waitSeconds = limiter.take(exchange.clientAddress)
    if (waitSeconds > 0) return refusals.refuse(exchange, tooMany(waitSeconds))
    count({ kind: 'challenged', service: exchange.service.name, endpoint: exchange.endpoint.id })
    return challenges.challenge(exchange)
  }

  return {
    serve: async (exchange) => {
      try {
        return await serve(exchange)
      } catch (error) {
        if (!health.noteError(error)) throw error
        logger.error({ err: error }, 'the store is full')
        return refusals.refuse(exchange, health.problem() ?? toProblem(error))
      }
    },
    start: heartbeat.start,
    recover: recovery.recover,
    health: () => {
      const problem = health.problem()
      return { isHealthy: problem === null, detail: problem?.detail ?? 'payments can be taken' }
    },
    settlementCost: health.settlementCost,
    findReceipt: (id) => findReceipt(state, id),
    close: async () => {
      await Promise.race([owner.drained(), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())])
      await heartbeat.stop()
      await owner.resign()
    },
  }
}

const NOT_PAYABLE: Problem = {
  code: 'not_configured',
  detail: 'This endpoint is metered, and the configured facilitator does not support metered payments.',
}
