import type { Address } from '@tollbook/chain/hex'
import type { Deadline } from '@tollbook/flow/deadline'
import { runFor } from '@tollbook/flow/owner'
import type { Problem } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import { startCallDeadline } from '@tollbook/http/request/call-deadline'
import { type RateLimiter, type RequestBudget, tooMany } from '@tollbook/http/request/rate-limit'
import type { KeyedHash } from '../calls/keyed-hash.ts'
import { findPurchase } from '../calls/purchases.ts'
import { toReply } from '../contract/answer-reply.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { PaymentEvent } from '../payment-event.ts'
import { RECEIPT_HEADER } from '../protocols/protocols.ts'
import type { State } from '../state/state.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { GateSettings } from './gate-options.ts'
import { callIdOf } from './handler-run.ts'
import { namesOf } from './paid-call.ts'
import { type PayerProof, readProof } from './payer-proof.ts'
import { readWeighed } from './read-weighed.ts'
import type { Refusals } from './refusals.ts'

/**
 * Serves requests without a payment whose callers prove to have bought the same one, within the period of its
 * endpoint, one at a time. It costs the caller what an unpaid request costs.
 */
export class RepeatAccess {
  readonly #state: State
  readonly #proof: PayerProof
  readonly #refusals: Refusals
  readonly #keyedHash: KeyedHash
  readonly #seller: GateSettings['seller']
  readonly #limiter: RateLimiter
  readonly #payerLimiter: RateLimiter
  readonly #explain: (error: unknown) => Problem
  readonly #clock: () => Date
  readonly #count: (event: PaymentEvent) => void
  /** Purchases that are being repeated here. */
  readonly #running = new Set<string>()

  constructor(parts: {
    readonly state: State
    readonly proof: PayerProof
    readonly refusals: Refusals
    readonly keyedHash: KeyedHash
    readonly seller: GateSettings['seller']
    readonly limiter: RateLimiter
    readonly payerLimiter: RateLimiter
    readonly explain: (error: unknown) => Problem
    readonly clock: () => Date
    readonly count: (event: PaymentEvent) => void
  }) {
    this.#state = parts.state
    this.#proof = parts.proof
    this.#refusals = parts.refusals
    this.#keyedHash = parts.keyedHash
    this.#seller = parts.seller
    this.#limiter = parts.limiter
    this.#payerLimiter = parts.payerLimiter
    this.#explain = parts.explain
    this.#clock = parts.clock
    this.#count = parts.count
  }

  /** Null for all requests other than a repetition; these get the 402. */
  async serve(exchange: Exchange): Promise<Reply | null> {
    const proof = readProof(exchange)
    if (!proof || proof.uri !== exchange.resourceUrl) return null
    const budget = this.#limiter.open(exchange.clientAddress)
    if (budget.waitSeconds > 0) return this.#refusals.refuse(exchange, tooMany(budget.waitSeconds))
    let reply: Reply | null = null
    try {
      // The address is not verified yet; rows have it in lower case.
      reply = await this.#servePayer(exchange, proof.address.toLowerCase() as Address, budget)
      return reply
    } finally {
      if (!(reply?.body instanceof ReadableStream)) budget.end()
    }
  }

  async #servePayer(exchange: Exchange, payer: Address, budget: RequestBudget): Promise<Reply | null> {
    const read = await readWeighed(exchange, budget)
    if ('problem' in read) return null
    const fingerprint = await fingerprintOf(this.#keyedHash, exchange, read)
    const id = await findPurchase(this.#state, { payer, fingerprint, now: this.#clock() })
    if (id === null) return null
    const { network } = this.#seller(exchange.service)
    if (!(await this.#proof.isGiven({ exchange, payment: { payer, terms: { network } } }))) return null
    // Only now: anyone may name the payer, but only the payer signs a proof.
    const ofPayer = this.#payerLimiter.open(payer)
    if (ofPayer.waitSeconds > 0) return this.#refusals.refuse(exchange, tooMany(ofPayer.waitSeconds))
    budget.join(ofPayer)
    if (this.#running.has(id)) return this.#refusals.inFlight({ exchange })
    const caller = { payer, callId: callIdOf({ id, fingerprint }) }
    const deadline = this.#startRun(id, exchange, budget)
    try {
      const answer = await runFor(payer, () => exchange.run(read, caller, deadline.signal))
      const { headers, ...reply } = toReply(answer, deadline)
      if (answer.kind !== 'stream') deadline.clear()
      this.#count({ kind: 'repeated', ...namesOf(exchange) })
      return { ...reply, headers: { ...headers, [RECEIPT_HEADER]: id } }
    } catch (error) {
      deadline.clear()
      return exchange.request.signal.aborted
        ? this.#refusals.gone()
        : this.#refusals.refuse(exchange, this.#explain(error))
    }
  }

  /** The deadline of the run, whose end closes the budget. */
  #startRun(id: string, { endpoint, request }: Exchange, budget: RequestBudget): Deadline {
    this.#running.add(id)
    const startedMs = this.#clock().getTime()
    const deadline = startCallDeadline(endpoint.limits.timeoutMs, request.signal)
    const end = () => {
      budget.addRun(this.#clock().getTime() - startedMs)
      budget.end()
      this.#running.delete(id)
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
}
