import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Deadline } from '@tollbook/flow/deadline'
import { keepTrace } from '@tollbook/flow/trace'
import type { Problem } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import type { AnswerStore } from '../calls/answers.ts'
import type { CallRows } from '../calls/call-rows.ts'
import type { Exposure } from '../calls/exposure.ts'
import type { AnswerRow } from '../calls/reservation.ts'
import type { Settler } from '../calls/settler.ts'
import type { Answer } from '../contract/answer.ts'
import { RECEIPT_HEADER } from '../protocols/protocols.ts'
import { chargeOf } from './charge.ts'
import type { GateSettings } from './gate-options.ts'
import { type Conclusion, LiveBody, type LiveEnd, NOTHING_LIVE, Uncovered } from './live-body.ts'
import { namesOf, type RunningCall } from './paid-call.ts'
import { type RecordedEnd, toRecordedBody } from './recorded-body.ts'
import { GONE, type Refusals } from './refusals.ts'
import { settledHeaders } from './settled-headers.ts'
import { type Meter, openStreamSource, type StreamSource } from './stream-source.ts'

export type StreamedAnswer = Extract<Answer, { kind: 'stream' }>

export type LiveCall = RunningCall & {
  readonly answer: StreamedAnswer
  /** Of the handler and its stream. */
  readonly deadline: Deadline
  /** Called when all work for the call has ended. */
  readonly onEnd: () => void
}

/** Serves live answers: `exact` is settled before the first byte, `upto` after the last. */
export class StreamedCalls {
  readonly #calls: CallRows
  readonly #answers: AnswerStore
  readonly #exposure: Exposure
  readonly #settler: Settler
  readonly #refusals: Refusals
  readonly #seller: GateSettings['seller']
  readonly #explain: (error: unknown) => Problem
  readonly #clock: () => Date

  constructor(parts: {
    readonly calls: CallRows
    readonly answers: AnswerStore
    readonly exposure: Exposure
    readonly settler: Settler
    readonly refusals: Refusals
    readonly seller: GateSettings['seller']
    /** Converts a thrown value to a problem for the client, and logs it if it is an error of ours. */
    readonly explain: (error: unknown) => Problem
    readonly clock: () => Date
  }) {
    this.#calls = parts.calls
    this.#answers = parts.answers
    this.#exposure = parts.exposure
    this.#settler = parts.settler
    this.#refusals = parts.refusals
    this.#seller = parts.seller
    this.#explain = parts.explain
    this.#clock = parts.clock
  }

  async serve(call: LiveCall): Promise<Reply> {
    const source = await this.#open(call)
    if ('code' in source) return this.#giveUp(call, source)
    return call.payment.scheme === 'upto' ? this.#serveUpto(call, source) : this.#serveExact(call, source)
  }

  /** Serves a stream that is already settled. */
  async serveSettled(call: LiveCall, headers: Reply['headers']): Promise<Reply> {
    const source = await this.#open(call)
    if (!('code' in source)) return this.#sendSettled(call, source, { headers, isRerun: true })
    await this.#calls.finish(call.lease, false, null)
    call.onEnd()
    return this.#refusals.refuse(call.exchange, source)
  }

  async #open(call: LiveCall): Promise<StreamSource | Problem> {
    try {
      return (await openStreamSource(call.answer.pieces, call.deadline)) ?? EMPTY
    } catch (error) {
      call.deadline.abort(error)
      return call.exchange.request.signal.aborted ? GONE : this.#explain(error)
    }
  }

  async #giveUp(call: LiveCall, problem: Problem): Promise<Reply> {
    await this.#calls.release(call.lease, problem.code, true)
    call.onEnd()
    const hasLeft = call.exchange.request.signal.aborted
    return hasLeft ? this.#refusals.gone() : this.#refusals.refuse(call.exchange, problem)
  }

  async #serveExact(call: LiveCall, source: StreamSource): Promise<Reply> {
    const { lease, payment } = call
    // Once it is settled, only the limit of the endpoint ends the run.
    call.deadline.outliveCaller(call.exchange.endpoint.limits.timeoutMs)
    const begun = this.#calls.beginStream(lease, payment.signedAmount)
    const settlement = await this.#settler.settle({
      ...namesOf(call.exchange),
      lease,
      payment,
      charge: payment.signedAmount,
      settledState: 'settled-unfinished',
      delivered: begun,
      keepsOwner: true,
    })
    if (!(await begun)) return this.#endLostCall(call, source)
    if (settlement.outcome !== 'settled') {
      await source.stop(settlement.reason)
      call.onEnd()
      return this.#refusals.unsettled(call, settlement)
    }
    call.budget.giveBack(1)
    const headers = await settledHeaders(this.#seller, call, settlement)
    return this.#sendSettled(call, source, { headers, isRerun: false })
  }

  #sendSettled(
    call: LiveCall,
    source: StreamSource,
    { headers, isRerun }: { readonly headers: Reply['headers']; readonly isRerun: boolean },
  ): Reply {
    const finish = async ({ isWhole, wasLeft, text }: RecordedEnd): Promise<void> => {
      const answer = text && (await this.#store(call, text))
      await this.#calls.finish(call.lease, isWhole || (wasLeft && isRerun), answer)
    }
    const body = toRecordedBody({
      source,
      maxCharge: call.payment.signedAmount,
      finish: (end) => finish(end).finally(call.onEnd),
    })
    return respond(call, body, headers)
  }

  async #serveUpto(call: LiveCall, source: StreamSource): Promise<Reply> {
    const { lease, payment, exchange, answer } = call
    const first = source.head.findLast((piece) => piece.chargeSoFar !== undefined)?.chargeSoFar
    const [isOurs, allowance] = await Promise.all([
      this.#calls.beginStream(lease, priceOf(call, first)),
      exchange.isCollected ? NOTHING_LIVE : this.#exposure.liveAllowance(lease, payment),
    ])
    if (!isOurs) return this.#endLostCall(call, source)
    const settleInTrace = keepTrace((end: LiveEnd) => this.#settleUpto(call, end))
    const body = new LiveBody({
      source,
      clock: this.#clock,
      left: exchange.request.signal,
      over: call.deadline.signal,
      maxCharge: payment.signedAmount,
      allowance,
      silence: answer.toComment('the rest is sent once the payment has settled'),
      checkpoint: async (given, read) => {
        if (allowance !== null) await this.#checkCover(call, read)
        await this.#checkpoint(call, given)
      },
      finish: (end) => settleInTrace(end).finally(call.onEnd),
    })
    const trailer = exchange.hasTrailers ? { trailer: 'payment-response' } : {}
    return respond(call, body.toStream(), { ...trailer, [RECEIPT_HEADER]: lease.id })
  }

  /** @throws Uncovered if the wallet does not hold what was read. */
  async #checkCover(call: LiveCall, read: Readonly<Meter>): Promise<void> {
    const owed = priceOf(call, read.charge)
    if (!(await this.#exposure.covers(call.payment, owed, call.deadline.signal)))
      throw new Uncovered('the wallet no longer covers what it owes')
  }

  /** Stores what was delivered. @throws Error if the row is no longer ours. */
  async #checkpoint(call: LiveCall, given: Readonly<Meter>): Promise<void> {
    if (!(await this.#calls.checkpoint(call.lease, priceOf(call, given.charge), given.bytes)))
      throw new Error('the call was taken over by another process')
  }

  async #settleUpto(call: LiveCall, { how, meter, text }: LiveEnd): Promise<Conclusion> {
    const { lease, payment, exchange, answer } = call
    if (meter.bytes === 0) {
      await this.#calls.release(lease, 'client_gone', true)
      return { comment: null, isPaid: false }
    }
    const charge = priceOf(call, meter.charge)
    const stored = text && (await this.#store(call, text))
    if (!(await this.#calls.endStream(lease, charge, meter.bytes, stored)))
      return { comment: null, isPaid: false }
    const settlement = await this.#settler.settle({
      ...namesOf(exchange),
      lease,
      payment,
      charge,
      // Only a failed source owes a second run.
      settledState: how === 'failed' ? 'settled-unfinished' : 'settled',
      keepsOwner: false,
    })
    const isPaid = settlement.outcome === 'settled'
    if (isPaid) call.budget.giveBack(1)
    // Only version 2 has `upto`.
    const { 'payment-response': paymentResponse = '' } = await settledHeaders(this.#seller, call, settlement)
    exchange.addTrailer('payment-response', paymentResponse)
    return { comment: answer.toComment(`payment-response ${paymentResponse}`), isPaid }
  }

  #store({ lease, answer }: LiveCall, text: Uint8Array): Promise<AnswerRow> {
    const headers = { 'content-type': answer.contentType, ...answer.headers }
    return this.#answers.store(lease, { status: answer.status ?? 200, headers, body: text })
  }

  async #endLostCall(call: LiveCall, source: StreamSource): Promise<Reply> {
    await source.stop('taken over')
    call.onEnd()
    return this.#refusals.inFlight(call)
  }
}

const EMPTY: Problem = {
  code: 'upstream_failed',
  detail: 'The source ended before its first content. Nothing was charged.',
}

function priceOf({ exchange, payment }: LiveCall, metered: AtomicUsdc | undefined): AtomicUsdc {
  return chargeOf(exchange.endpoint.pricing, payment, metered)
}

function respond({ answer }: LiveCall, body: ReadableStream<Uint8Array>, headers: Reply['headers']): Reply {
  return {
    status: answer.status ?? 200,
    // Proxies that buffer the response would defeat the live answer.
    headers: {
      'content-type': answer.contentType,
      'x-accel-buffering': 'no',
      ...answer.headers,
      ...headers,
    },
    body,
  }
}
