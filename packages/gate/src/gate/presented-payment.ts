import { inStep } from '@tollbook/flow/trace'
import type { Problem } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import type { RequestBudget } from '@tollbook/http/request/rate-limit'
import { checkLifetime } from '../authorization/lifetime.ts'
import type { CallRows } from '../calls/call-rows.ts'
import type { KeyedHash } from '../calls/keyed-hash.ts'
import type { PaymentNames, Reservation } from '../calls/reservation.ts'
import type { Exchange, ReadRequest } from '../contract/exchange.ts'
import { scopeOf } from '../contract/paid-route.ts'
import { type OfferedPayment, paymentKey } from '../payment.ts'
import type { Credential } from '../protocols/protocols.ts'
import type { Admission } from './admission.ts'
import type { CallBudgets } from './call-budgets.ts'
import type { Challenges } from './challenge.ts'
import type { Refunds } from './channels.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { HandlerRuns } from './handler-run.ts'
import type { PaymentMatcher } from './match-payment.ts'
import type { Sale } from './open-sale.ts'
import type { Presented } from './paid-call.ts'
import type { PrepaidCalls } from './prepaid-call.ts'
import { readWeighed } from './read-weighed.ts'
import type { Refusals } from './refusals.ts'
import type { RepeatedCalls } from './repeated-call.ts'

/** Chosen: what a look-up on the chain takes from the client's budget, as if it were a run; one token. */
const LOOK_RUN_MS = 100

/** Chosen: what a refund takes from the client's budget, as if it were a run; ten tokens. */
const REFUND_RUN_MS = 1_000

const HOUR_MS = 60 * 60_000

/** Serves requests that carry a payment. */
export class PresentedPayments {
  readonly #calls: CallRows
  readonly #budgets: CallBudgets
  readonly #matcher: PaymentMatcher
  readonly #admission: Admission
  readonly #challenges: Challenges
  readonly #refusals: Refusals
  readonly #refunds: Refunds
  readonly #prepaid: PrepaidCalls
  readonly #runs: HandlerRuns
  readonly #repeated: RepeatedCalls
  readonly #closedProblem: Sale['closedProblem']
  readonly #keyedHash: KeyedHash
  readonly #clock: () => Date

  constructor(parts: {
    readonly calls: CallRows
    readonly budgets: CallBudgets
    readonly matcher: PaymentMatcher
    readonly admission: Admission
    readonly challenges: Challenges
    readonly refusals: Refusals
    readonly refunds: Refunds
    readonly prepaid: PrepaidCalls
    readonly runs: HandlerRuns
    readonly repeated: RepeatedCalls
    readonly closedProblem: Sale['closedProblem']
    readonly keyedHash: KeyedHash
    readonly clock: () => Date
  }) {
    this.#calls = parts.calls
    this.#budgets = parts.budgets
    this.#matcher = parts.matcher
    this.#admission = parts.admission
    this.#challenges = parts.challenges
    this.#refusals = parts.refusals
    this.#refunds = parts.refunds
    this.#prepaid = parts.prepaid
    this.#runs = parts.runs
    this.#repeated = parts.repeated
    this.#closedProblem = parts.closedProblem
    this.#keyedHash = parts.keyedHash
    this.#clock = parts.clock
  }

  /**
   * A payment costs us its body, rows, reads of the chain and a handler's run, and the caller nothing if it
   * is refused or the client disconnects. It counts as unpaid until it has settled.
   * @param closed why no new call can start; paid answers are still sent.
   */
  async serve(exchange: Exchange, credential: Credential, closed: Problem | null): Promise<Reply> {
    const budget = await this.#budgets.open(exchange, () => {
      const matched = this.#matcher.match(exchange, credential)
      return 'problem' in matched ? null : matched.payment
    })
    if ('problem' in budget) return this.#refusals.refuse(exchange, budget.problem)
    let isLive = false
    try {
      const reply = await this.#servePayment(exchange, { credential, closed, budget })
      isLive = reply.body instanceof ReadableStream
      return reply
    } finally {
      // A live answer closes its budget itself, once it is settled.
      if (!isLive) budget.end()
    }
  }

  /**
   * The body is not read before the payment's signature and lifetime are checked. If the body selects the terms, the
   * payment is matched with them again.
   */
  async #servePayment(
    exchange: Exchange,
    presented: { credential: Credential; closed: Problem | null; budget: RequestBudget },
  ): Promise<Reply> {
    const { credential, budget } = presented
    const { protocol } = credential
    const { isUndecided } = exchange
    const refusals = this.#refusals
    let matched = this.#matcher.matchUsable(exchange, credential)
    if ('problem' in matched) return refusals.refuse(exchange, matched.problem)
    let { payment, changed } = matched
    let closed = isUndecided ? null : presented.closed
    const names = this.#toNames(payment)

    const signed = await inStep('check signature', () => this.#admission.checkSignature(payment, budget))
    if ('problem' in signed) return refusals.refuse(exchange, changed ?? signed.problem)
    if (payment.channel?.kind === 'refund')
      return changed ? refusals.refuse(exchange, changed) : this.#refund(exchange, payment, budget)
    const early = changed ?? closed ?? this.#checkLifetime(payment)
    const isNew =
      early !== null && !(await this.#isKnown(names.id)) && !(await this.#calls.findIdentified(names))
    const prepaid = isNew
      ? await this.#findPrepaid({ exchange, payment, protocol, ...signed }, early, budget)
      : null
    const isPrepaid = prepaid === 'proved'
    if (isNew && !isPrepaid) return refusals.refuse(exchange, prepaid ?? early)

    const read = await inStep('read arguments', () => readWeighed(exchange, budget))
    if (isUndecided) {
      await this.#challenges.prepare(exchange)
      matched = this.#matcher.matchUsable(exchange, credential)
      if ('problem' in matched) return refusals.refuse(exchange, matched.problem)
      payment = matched.payment
      changed = matched.changed
      closed = this.#closedProblem(exchange)
    }
    if ('problem' in read) return refusals.refuse(exchange, read.problem)
    if (!signed.isKeySigned) {
      const problem = await this.#admission.checkContract(payment, () => this.#isKnown(names.id))
      if (problem) return refusals.refuse(exchange, problem)
    }

    const reservation = await this.#toReservation(exchange, { ...names, payment }, read)
    const call = { exchange, payment, protocol, read, reservation, budget, isPrepaid, ...signed }
    const obstacle = changed ?? closed ?? (isPrepaid ? null : this.#checkLifetime(payment))
    const lease = obstacle ? null : await inStep('reserve', () => this.#calls.reserve(reservation))
    return lease ? this.#runs.run({ ...call, lease }) : this.#repeated.serve(call, obstacle)
  }

  /** A refund runs no handler: it reads no arguments and reserves no row. */
  async #refund(exchange: Exchange, payment: OfferedPayment, budget: RequestBudget): Promise<Reply> {
    budget.addRun(REFUND_RUN_MS)
    const refunded = await this.#refunds.refund(payment)
    if ('code' in refunded) return this.#refusals.refuse(exchange, refunded)
    const text = JSON.stringify({ message: 'Refunded.', channelId: payment.channel?.id })
    const settlement = Buffer.from(JSON.stringify(refunded)).toString('base64')
    const headers = { 'content-type': 'application/json; charset=utf-8', 'payment-response': settlement }
    return { status: 200, headers, body: Buffer.from(text) }
  }

  /** An expired payment may have been used during its lifetime, by others or before the state was restored. */
  async #findPrepaid(
    presented: Presented & { readonly isKeySigned: boolean },
    { code }: Problem,
    budget: RequestBudget,
  ): Promise<'proved' | Problem | null> {
    if (code !== 'payment_expired' || !presented.isKeySigned) return null
    budget.addRun(LOOK_RUN_MS)
    return this.#prepaid.look(presented)
  }

  #checkLifetime(payment: OfferedPayment): Problem | null {
    return checkLifetime(payment, Math.floor(this.#clock().getTime() / 1000))
  }

  async #isKnown(id: string): Promise<boolean> {
    return (await this.#calls.find(id)) !== null
  }

  #toNames(payment: OfferedPayment): PaymentNames {
    const { identifier } = payment
    return {
      id: this.#keyedHash('payment', paymentKey(payment)),
      payment,
      identifier: identifier === undefined ? null : this.#keyedHash('identifier', identifier),
    }
  }

  async #toReservation(exchange: Exchange, names: PaymentNames, read: ReadRequest): Promise<Reservation> {
    const { endpoint, service } = exchange
    const fingerprint = await fingerprintOf(this.#keyedHash, exchange, read)
    return {
      ...names,
      service: service.name,
      endpoint: endpoint.id,
      resourceUrl: exchange.resourceUrl,
      repeatMs: endpoint.repeatAccess && endpoint.repeatAccess.hours * HOUR_MS,
      scope: scopeOf(endpoint, read.input),
      fingerprint,
      ...(endpoint.rerun === false && { maxRuns: 1 }),
    }
  }
}
