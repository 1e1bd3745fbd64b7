import type { Exchange } from '../../catalogue/exchange.ts'
import { peekWeighed } from '../../catalogue/serving/read-weighed.ts'
import type { Problem } from '../../http/problem.ts'
import { toProblem } from '../../http/reply/problem-document.ts'
import type { Reply } from '../../http/reply/reply.ts'
import { tooMany } from '../../http/request/rate-limit.ts'
import { findCredentials } from '../protocols/protocols.ts'
import { type GateOptions, type TollGate, withDefaults } from './gate-options.ts'
import { createHeartbeat } from './heartbeat.ts'
import { openLedger } from './open-ledger.ts'
import { openPayments } from './open-payments.ts'
import { openSale } from './open-sale.ts'
import { findReceipt } from './receipt.ts'

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
  const { state, limiter, logger, count, limits } = settings
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
    const excess = isPeeked ? await peekWeighed(exchange, limiter.open(exchange.clientAddress)) : null
    if (excess) return refusals.refuse(exchange, excess)
    const signing = challenges.prepare(exchange)
    if (signing) await signing
    if (second) return refusals.refuse(exchange, SEVERAL_PAYMENTS)
    const closed = sale.closedProblem(exchange)
    if (credential && challenges.isPayable(exchange)) return payments.serve(exchange, credential, closed)
    if (closed) return refusals.refuse(exchange, closed)
    const repeated = exchange.endpoint.repeatAccess ? await payments.repeat(exchange) : null
    if (repeated) return repeated
    const waitSeconds = isPeeked ? 0 : limiter.take(exchange.clientAddress)
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
    gasLeft: health.gasLeft,
    findReceipt: (id) => findReceipt(state, id),
    close: async () => {
      await Promise.race([owner.drained(), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())])
      await heartbeat.stop()
      await owner.resign()
    },
  }
}
