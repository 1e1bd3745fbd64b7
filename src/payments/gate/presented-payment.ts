import type { Exchange, ReadRequest } from '../../catalogue/exchange.ts'
import { scopeOf } from '../../catalogue/scope.ts'
import { readWeighed } from '../../catalogue/serving/read-weighed.ts'
import { inStep } from '../../flow/trace.ts'
import type { Problem } from '../../http/problem.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { RequestBudget } from '../../http/request/rate-limit.ts'
import type { DecodedPayment } from '../authorization/decode-payment.ts'
import { joinIdentifier } from '../authorization/extensions.ts'
import { checkLifetime } from '../authorization/lifetime.ts'
import { malformed } from '../authorization/refusal.ts'
import type { Channels } from '../channels/open-channels.ts'
import type { CallRows } from '../ledger/call-rows.ts'
import type { KeyedHash } from '../ledger/keyed-hash.ts'
import type { PaymentNames, Reservation } from '../ledger/reservation.ts'
import { type OfferedPayment, paymentKey } from '../payment.ts'
import type { Credential } from '../protocols/protocols.ts'
import type { Admission } from './admission.ts'
import type { OpenCallBudget } from './call-budgets.ts'
import type { Challenges } from './challenge.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { Sale } from './open-sale.ts'
import type { Presented, RunningCall } from './paid-call.ts'
import type { PrepaidCalls } from './prepaid-call.ts'
import type { Refusals } from './refusals.ts'
import type { RepeatedCalls } from './repeated-call.ts'

/** Chosen: what a look-up on the chain takes from the client's budget, as if it were a run; one token. */
const LOOK_RUN_MS = 100

/** Chosen: what a refund takes from the client's budget, as if it were a run; ten tokens. */
const REFUND_RUN_MS = 1_000

const HOUR_MS = 60 * 60_000

/** Serves requests that carry a payment. */
export interface PresentedPayments {
  /**
   * A payment costs us its body, rows, reads of the chain and a handler's run, and the caller nothing if it
   * is refused or the client disconnects. It counts as unpaid until it has settled.
   * @param closed why no new call can start; paid answers are still sent.
   */
  serve(exchange: Exchange, credential: Credential, closed: Problem | null): Promise<Reply>
}

export function createPresentedPayments(parts: {
  readonly calls: CallRows
  readonly admission: Admission
  readonly challenges: Challenges
  readonly refusals: Refusals
  readonly repeated: RepeatedCalls
  readonly prepaid: PrepaidCalls
  /** Runs the handler for a reserved authorization. */
  readonly run: (call: RunningCall) => Promise<Reply>
  readonly closedProblem: Sale['closedProblem']
  readonly channels: Pick<Channels, 'refunds'>
  readonly keyedHash: KeyedHash
  readonly openBudget: OpenCallBudget
  readonly clock: () => Date
}): PresentedPayments {
  const { calls, admission, challenges, refusals, repeated } = parts
  const { keyedHash, openBudget, clock } = parts

  async function serve(exchange: Exchange, credential: Credential, closed: Problem | null): Promise<Reply> {
    const budget = await openBudget(exchange, () => {
      const matched = matchPayment(exchange, credential)
      return 'problem' in matched ? null : matched.payment
    })
    if ('problem' in budget) return refusals.refuse(exchange, budget.problem)
    let isLive = false
    try {
      const reply = await servePayment(exchange, { credential, closed, budget })
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
  async function servePayment(
    exchange: Exchange,
    presented: { credential: Credential; closed: Problem | null; budget: RequestBudget },
  ): Promise<Reply> {
    const { credential, budget } = presented
    const { protocol } = credential
    const { isUndecided } = exchange
    let matched = matchUsable(exchange, credential)
    if ('problem' in matched) return refusals.refuse(exchange, matched.problem)
    let { payment, changed } = matched
    let closed = isUndecided ? null : presented.closed
    const names = toNames(payment)
    const findObstacle = () =>
      changed ?? closed ?? checkLifetime(payment, Math.floor(clock().getTime() / 1000))

    const signed = await inStep('check signature', () => admission.checkSignature(payment, budget))
    if ('problem' in signed) return refusals.refuse(exchange, changed ?? signed.problem)
    if (payment.channel?.kind === 'refund')
      return changed ? refusals.refuse(exchange, changed) : refund(exchange, payment, budget)
    const early = findObstacle()
    const isNew = early !== null && !(await isKnown(names.id)) && !(await calls.findIdentified(names))
    const prepaid = isNew
      ? await findPrepaid({ exchange, payment, protocol, ...signed }, early, budget)
      : null
    const isPrepaid = prepaid === 'proved'
    if (isNew && !isPrepaid) return refusals.refuse(exchange, prepaid ?? early)

    const read = await inStep('read arguments', () => readWeighed(exchange, budget))
    if (isUndecided) {
      await challenges.prepare(exchange)
      matched = matchUsable(exchange, credential)
      if ('problem' in matched) return refusals.refuse(exchange, matched.problem)
      payment = matched.payment
      changed = matched.changed
      closed = parts.closedProblem(exchange)
    }
    if ('problem' in read) return refusals.refuse(exchange, read.problem)
    if (!signed.isKeySigned) {
      const problem = await admission.checkContract(payment, () => isKnown(names.id))
      if (problem) return refusals.refuse(exchange, problem)
    }

    const reservation = await toReservation(exchange, { ...names, payment }, read)
    const call = { exchange, payment, protocol, read, reservation, budget, isPrepaid, ...signed }
    const obstacle = isPrepaid ? (changed ?? closed) : findObstacle()
    const claim = obstacle ? null : await inStep('reserve', () => calls.reserve(reservation))
    return claim ? parts.run({ ...call, claim }) : repeated.serve(call, obstacle)
  }

  /** The payment that meets the terms of the request, or any of those that its body may still select. */
  function matchPayment(exchange: Exchange, credential: Credential): DecodedPayment {
    const decoded = decode(exchange, credential)
    return 'problem' in decoded ? decoded : complete(exchange, decoded.payment)
  }

  /** A payment under other terms, too, with what is `changed`: nothing is sold for it, but it may have bought something. */
  function matchUsable(
    exchange: Exchange,
    credential: Credential,
  ): { readonly payment: OfferedPayment; readonly changed: Problem | null } | { readonly problem: Problem } {
    const decoded = decode(exchange, credential)
    if ('payment' in decoded) {
      const completed = complete(exchange, decoded.payment)
      return 'problem' in completed ? completed : { ...completed, changed: null }
    }
    const { problem, earlier } = decoded
    const completed = earlier && complete(exchange, earlier)
    return completed && 'payment' in completed ? { ...completed, changed: problem } : { problem }
  }

  /** With what the request adds to it. */
  function complete(
    exchange: Exchange,
    payment: OfferedPayment,
  ): { readonly payment: OfferedPayment } | { readonly problem: Problem } {
    const named = joinIdentifier(payment.identifier, exchange.request.headers.get('idempotency-key'))
    if ('reason' in named) return { problem: malformed(named.detail, named.reason, 'Idempotency-Key') }
    const { resourceUrl } = payment
    if (resourceUrl !== undefined && !exchange.isUndecided && !challenges.isOurs(exchange, resourceUrl))
      return { problem: OTHER_RESOURCE }
    return { payment: withLifetime({ ...payment, ...named }) }
  }

  function decode(exchange: Exchange, { protocol, text }: Credential): DecodedPayment {
    const own = protocol.decode(text, challenges.offerOf(exchange))
    if (!('problem' in own)) return own
    for (const offer of challenges.selectableOffers(exchange)) {
      const decoded = protocol.decode(text, offer)
      if (!('problem' in decoded)) return decoded
    }
    return own
  }

  /** Vouchers do not end: their calls have the lifetime of other payments. */
  function withLifetime(payment: OfferedPayment): OfferedPayment {
    if (!payment.channel) return payment
    const validBefore = Math.floor(clock().getTime() / 1000) + payment.terms.maxTimeoutSeconds
    return { ...payment, validBefore }
  }

  /** A refund runs no handler: it reads no arguments and reserves no row. */
  async function refund(exchange: Exchange, payment: OfferedPayment, budget: RequestBudget): Promise<Reply> {
    budget.addRun(REFUND_RUN_MS)
    const refunded = await parts.channels.refunds.refund(payment)
    if ('code' in refunded) return refusals.refuse(exchange, refunded)
    const text = JSON.stringify({ message: 'Refunded.', channelId: payment.channel?.id })
    const settlement = Buffer.from(JSON.stringify(refunded)).toString('base64')
    const headers = { 'content-type': 'application/json; charset=utf-8', 'payment-response': settlement }
    return { status: 200, headers, body: Buffer.from(text) }
  }

  /** An expired payment may have been used during its lifetime, by others or before the state was restored. */
  async function findPrepaid(
    presented: Presented & { readonly isKeySigned: boolean },
    { code }: Problem,
    budget: RequestBudget,
  ) {
    if (code !== 'payment_expired' || !presented.isKeySigned) return null
    budget.addRun(LOOK_RUN_MS)
    return parts.prepaid.look(presented)
  }

  async function isKnown(id: string): Promise<boolean> {
    return (await calls.find(id)) !== null
  }

  function toNames(payment: OfferedPayment): PaymentNames {
    return {
      id: keyedHash('payment', paymentKey(payment)),
      payment,
      identifier: payment.identifier === undefined ? null : keyedHash('identifier', payment.identifier),
    }
  }

  async function toReservation(
    exchange: Exchange,
    names: PaymentNames,
    read: ReadRequest,
  ): Promise<Reservation> {
    const { endpoint, service } = exchange
    const fingerprint = await fingerprintOf(keyedHash, exchange, read)
    return {
      ...names,
      service: service.name,
      endpoint: endpoint.id,
      resourceUrl: exchange.resourceUrl,
      repeatMs: endpoint.repeatAccess && endpoint.repeatAccess.hours * HOUR_MS,
      scope: scopeOf(endpoint, read.input),
      fingerprint,
    }
  }

  return { serve }
}

const OTHER_RESOURCE: Problem = {
  code: 'payment_invalid',
  detail: 'The payment was rejected: it was made for another resource.',
  members: { reason: 'resource_mismatch' },
}
