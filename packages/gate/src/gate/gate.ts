import type { Problem } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import { type RateLimiter, tooMany } from '@tollbook/http/request/rate-limit'
import type { Owner } from '../calls/owners.ts'
import type { Recovery } from '../calls/recovery.ts'
import type { Exchange } from '../contract/exchange.ts'
import type { GasLeft, SettlementCost } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'
import { findCredentials } from '../protocols/protocols.ts'
import type { State } from '../state/state.ts'
import { type GateOptions, type TollGate, withDefaults } from './gate-options.ts'
import type { SaleOpening } from './health.ts'
import { Heartbeat } from './heartbeat.ts'
import { openCalls } from './open-calls.ts'
import { openPayments, type Payments } from './open-payments.ts'
import { openSale, type Sale } from './open-sale.ts'
import { peekWeighed } from './read-weighed.ts'
import { findReceipt, type Receipt } from './receipt.ts'

/** How long a closing gate waits for running calls; the recovery of other processes takes over the rest. */
const DRAIN_MS = 30_000

const SEVERAL_PAYMENTS: Problem = {
  code: 'payment_malformed',
  detail: 'The request has payments of more than one protocol. Send one of them.',
  members: { reason: 'several_payments' },
}

/**
 * Opens the gate of one process. Several processes may share one state store and one facilitator key.
 * @throws the state store's own error if it cannot be read.
 */
export async function openGate(options: GateOptions): Promise<TollGate> {
  const settings = withDefaults(options)
  const { state, limiter, logger, clock, count, limits } = settings
  const opened = await openCalls(settings)
  const { owner, recovery, answers, channels, keyedHash } = opened
  const sale = openSale(settings, keyedHash)
  const heartbeat = new Heartbeat({
    state,
    owner,
    recovery,
    health: sale.health,
    answers,
    claims: channels.claims,
    logger,
    clock,
    everyMs: limits.heartbeatMs,
  })
  const payments = openPayments(settings, opened, sale)
  return new PaymentGate({ state, owner, recovery, sale, payments, heartbeat, limiter, count })
}

class PaymentGate implements TollGate {
  readonly #state: State
  readonly #owner: Owner
  readonly #recovery: Recovery
  readonly #sale: Sale
  readonly #payments: Payments
  readonly #heartbeat: Heartbeat
  readonly #limiter: RateLimiter
  readonly #count: (event: PaymentEvent) => void

  constructor(parts: {
    readonly state: State
    readonly owner: Owner
    readonly recovery: Recovery
    readonly sale: Sale
    readonly payments: Payments
    readonly heartbeat: Heartbeat
    readonly limiter: RateLimiter
    readonly count: (event: PaymentEvent) => void
  }) {
    this.#state = parts.state
    this.#owner = parts.owner
    this.#recovery = parts.recovery
    this.#sale = parts.sale
    this.#payments = parts.payments
    this.#heartbeat = parts.heartbeat
    this.#limiter = parts.limiter
    this.#count = parts.count
  }

  get opening(): SaleOpening {
    return this.#sale.health.opening
  }

  async serve(exchange: Exchange): Promise<Reply> {
    try {
      return await this.#serve(exchange)
    } catch (error) {
      const full = this.#sale.health.noteError(error)
      if (!full) throw error
      return this.#sale.refusals.refuse(exchange, full)
    }
  }

  start(): Promise<void> {
    return this.#heartbeat.start()
  }

  recover(): Promise<void> {
    return this.#recovery.recover()
  }

  health(): { readonly isHealthy: boolean; readonly detail: string } {
    const problem = this.#sale.health.problem()
    return { isHealthy: problem === null, detail: problem?.detail ?? 'payments can be taken' }
  }

  settlementCost(): SettlementCost | null {
    return this.#sale.health.settlementCost()
  }

  gasLeft(): readonly GasLeft[] {
    return this.#sale.health.gasLeft()
  }

  findReceipt(id: string): Promise<Receipt | null> {
    return findReceipt(this.#state, id)
  }

  async close(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())
    await Promise.race([this.#owner.drained(), late])
    await this.#heartbeat.stop()
    await this.#owner.resign()
  }

  async #serve(exchange: Exchange): Promise<Reply> {
    const { challenges, refusals } = this.#sale
    const { presented, repeatAccess } = this.#payments
    const [credential, second] = findCredentials(exchange.request.headers)
    const isPeeked = !credential && exchange.isUndecided
    const excess = isPeeked ? await peekWeighed(exchange, this.#limiter) : null
    if (excess) return refusals.refuse(exchange, excess)
    const signing = challenges.prepare(exchange)
    if (signing) await signing
    if (second) return refusals.refuse(exchange, SEVERAL_PAYMENTS)
    const closed = this.#sale.closedProblem(exchange)
    if (credential && challenges.isPayable(exchange)) return presented.serve(exchange, credential, closed)
    if (closed) return refusals.refuse(exchange, closed)
    const repeated = exchange.endpoint.repeatAccess ? await repeatAccess.serve(exchange) : null
    if (repeated) return repeated
    const { waitSeconds } = isPeeked ? { waitSeconds: 0 } : this.#limiter.openQuestion(exchange.clientAddress)
    if (waitSeconds > 0) return refusals.refuse(exchange, tooMany(waitSeconds))
    this.#count({ kind: 'challenged', service: exchange.service.name, endpoint: exchange.endpoint.id })
    return challenges.challenge(exchange)
  }
}
