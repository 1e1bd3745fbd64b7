import type { Exchange } from '../../catalogue/exchange.ts'
import { toReply } from '../../catalogue/serving/answer-reply.ts'
import { readWeighed } from '../../catalogue/serving/read-weighed.ts'
import { startCallDeadline } from '../../catalogue/serving/run-handler.ts'
import type { Address } from '../../chain/hex.ts'
import type { Deadline } from '../../flow/deadline.ts'
import { runFor } from '../../flow/owner.ts'
import type { Problem } from '../../http/problem.ts'
import type { Reply } from '../../http/reply/reply.ts'
import { type RequestBudget, tooMany } from '../../http/request/rate-limit.ts'
import type { KeyedHash } from '../ledger/keyed-hash.ts'
import { findPurchase } from '../ledger/purchases.ts'
import { RECEIPT_HEADER } from '../protocols/protocols.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { GateSettings } from './gate-options.ts'
import { callIdOf } from './handler-run.ts'
import { namesOf } from './paid-call.ts'
import { type PayerProof, readProof } from './payer-proof.ts'
import type { Refusals } from './refusals.ts'

/**
 * Serves a request without a payment whose caller proves to have bought the same one, within the period of its
 * endpoint, one at a time. Null for all others, which get the 402. It costs the caller what an unpaid request costs.
 */
export type RepeatAccess = (exchange: Exchange) => Promise<Reply | null>

export function createRepeatAccess(
  parts: Pick<GateSettings, 'state' | 'seller' | 'limiter' | 'payerLimiter' | 'clock' | 'count'> & {
    readonly proof: PayerProof
    readonly refusals: Refusals
    readonly keyedHash: KeyedHash
    readonly explain: (error: unknown) => Problem
  },
): RepeatAccess {
  const { state, limiter, payerLimiter, refusals, clock } = parts
  /** Purchases that are being repeated here. */
  const running = new Set<string>()

  async function serve(exchange: Exchange, payer: Address, budget: RequestBudget): Promise<Reply | null> {
    const read = await readWeighed(exchange, budget)
    if ('problem' in read) return null
    const fingerprint = await fingerprintOf(parts.keyedHash, exchange, read)
    const id = await findPurchase(state, { payer, fingerprint, now: clock() })
    if (id === null) return null
    const { network } = parts.seller(exchange.service)
    if (!(await parts.proof.isGiven({ exchange, payment: { payer, terms: { network } } }))) return null
    // Only now: anyone may name the payer, but only the payer signs a proof.
    const ofPayer = payerLimiter.open(payer)
    if (ofPayer.waitSeconds > 0) return refusals.refuse(exchange, tooMany(ofPayer.waitSeconds))
    budget.join(ofPayer)
    if (running.has(id)) return refusals.inFlight({ exchange })
    const caller = { payer, callId: callIdOf({ id, fingerprint }) }
    const deadline = startRun(id, exchange, budget)
    try {
      const answer = await runFor(payer, () => exchange.run(read, caller, deadline.signal))
      const { headers, ...reply } = toReply(answer, deadline)
      if (answer.kind !== 'stream') deadline.clear()
      parts.count({ kind: 'repeated', ...namesOf(exchange) })
      return { ...reply, headers: { ...headers, [RECEIPT_HEADER]: id } }
    } catch (error) {
      deadline.clear()
      return exchange.request.signal.aborted
        ? refusals.gone()
        : refusals.refuse(exchange, parts.explain(error))
    }
  }

  /** The deadline of the run, whose end closes the budget. */
  function startRun(id: string, { endpoint, request }: Exchange, budget: RequestBudget): Deadline {
    running.add(id)
    const startedMs = clock().getTime()
    const deadline = startCallDeadline(endpoint.limits.timeoutMs, request.signal)
    const end = () => {
      budget.addRun(clock().getTime() - startedMs)
      budget.end()
      running.delete(id)
    }
    const clear = () => {
      deadline.clear()
      end()
    }
    const abort: Deadline['abort'] = (reason) => {
      deadline.abort(reason)
      end()
    }
    return { ...deadline, clear, abort }
  }

  return async (exchange) => {
    const proof = readProof(exchange)
    if (!proof || proof.uri !== exchange.resourceUrl) return null
    const budget = limiter.open(exchange.clientAddress)
    if (budget.waitSeconds > 0) return refusals.refuse(exchange, tooMany(budget.waitSeconds))
    let reply: Reply | null = null
    try {
      // The address is not verified yet; rows have it in lower case.
      reply = await serve(exchange, proof.address.toLowerCase() as Address, budget)
      return reply
    } finally {
      if (!(reply?.body instanceof ReadableStream)) budget.end()
    }
  }
}
