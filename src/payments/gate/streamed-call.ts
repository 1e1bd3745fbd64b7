import type { Answer } from '../../catalogue/answer.ts'
import type { Deadline } from '../../flow/deadline.ts'
import { keepTrace } from '../../flow/trace.ts'
import type { Problem } from '../../http/problem.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { AnswerStore } from '../ledger/answers.ts'
import type { CallRows } from '../ledger/call-rows.ts'
import type { Exposure } from '../ledger/exposure.ts'
import type { AnswerRow } from '../ledger/reservation.ts'
import type { Settler } from '../ledger/settler.ts'
import { RECEIPT_HEADER } from '../protocols/protocols.ts'
import { chargeOf } from './charge.ts'
import type { GateSettings } from './gate-options.ts'
import { type Conclusion, type LiveEnd, NOTHING_LIVE, toLiveBody, Uncovered } from './live-body.ts'
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
export interface StreamedCalls {
  serve(call: LiveCall): Promise<Reply>
  /** Serves a stream that is already settled. */
  serveSettled(call: LiveCall, headers: Reply['headers']): Promise<Reply>
}

export function createStreamedCalls(parts: {
  readonly calls: CallRows
  readonly answers: AnswerStore
  readonly exposure: Pick<Exposure, 'liveAllowance' | 'covers'>
  readonly settler: Settler
  readonly refusals: Refusals
  readonly seller: GateSettings['seller']
  /** Converts a thrown value to a problem for the client, and logs it if it is an error of ours. */
  readonly explain: (error: unknown) => Problem
  readonly clock: () => Date
}): StreamedCalls {
  const { calls, answers, exposure, settler, refusals, explain } = parts

  async function open(call: LiveCall): Promise<StreamSource | Problem> {
    try {
      return (await openStreamSource(call.answer.pieces, call.deadline)) ?? EMPTY
    } catch (error) {
      call.deadline.abort(error)
      return call.exchange.request.signal.aborted ? GONE : explain(error)
    }
  }

  async function giveUp(call: LiveCall, problem: Problem): Promise<Reply> {
    await calls.release(call.claim, problem.code, true)
    call.onEnd()
    return call.exchange.request.signal.aborted ? refusals.gone() : refusals.refuse(call.exchange, problem)
  }

  async function serveExact(call: LiveCall, source: StreamSource): Promise<Reply> {
    const { claim, payment } = call
    // Once it is settled, only the limit of the endpoint ends the run.
    call.deadline.outliveCaller(call.exchange.endpoint.limits.timeoutMs)
    const begun = calls.beginStream(claim, payment.signedAmount)
    const settlement = await settler.settle({
      ...namesOf(call.exchange),
      claim,
      payment,
      charge: payment.signedAmount,
      settledState: 'settled-unfinished',
      delivered: begun,
      keepsOwner: true,
    })
    if (!(await begun)) return endLostCall(call, source)
    if (settlement.outcome !== 'settled') {
      await source.stop(settlement.reason)
      call.onEnd()
      return refusals.unsettled(call, settlement)
    }
    call.budget.giveBack(1)
    const headers = await settledHeaders(parts, call, settlement)
    return sendSettled(call, source, { headers, isRerun: false })
  }

  function sendSettled(
    call: LiveCall,
    source: StreamSource,
    { headers, isRerun }: { readonly headers: Reply['headers']; readonly isRerun: boolean },
  ): Reply {
    async function finish({ isWhole, wasLeft, text }: RecordedEnd): Promise<void> {
      const answer = text && (await store(call, text))
      await calls.finish(call.claim, isWhole || (wasLeft && isRerun), answer)
    }
    const body = toRecordedBody({
      source,
      maxCharge: call.payment.signedAmount,
      finish: (end) => finish(end).finally(call.onEnd),
    })
    return respond(call, body, headers)
  }

  function store({ claim, answer }: LiveCall, text: Uint8Array): Promise<AnswerRow> {
    return answers.store(claim, { status: 200, headers: { 'content-type': answer.contentType }, body: text })
  }

  async function serveUpto(call: LiveCall, source: StreamSource): Promise<Reply> {
    const { claim, payment, exchange, answer } = call
    const priceOf = (metered: AtomicUsdc | undefined) => chargeOf(exchange.endpoint.pricing, payment, metered)
    const first = source.head.findLast((piece) => piece.chargeSoFar !== undefined)?.chargeSoFar
    const [isOurs, allowance] = await Promise.all([
      calls.beginStream(claim, priceOf(first)),
      exchange.isCollected ? NOTHING_LIVE : exposure.liveAllowance(claim, payment),
    ])
    if (!isOurs) return endLostCall(call, source)

    async function checkpoint(given: Readonly<Meter>, read: Readonly<Meter>): Promise<void> {
      if (allowance !== null && !(await exposure.covers(payment, priceOf(read.charge), call.deadline.signal)))
        throw new Uncovered('the wallet no longer covers what it owes')
      if (!(await calls.checkpoint(claim, priceOf(given.charge), given.bytes)))
        throw new Error('the call was taken over by another process')
    }

    async function settle({ how, meter, text }: LiveEnd): Promise<Conclusion> {
      if (meter.bytes === 0) {
        await calls.release(claim, 'client_gone', true)
        return { comment: null, isPaid: false }
      }
      const charge = priceOf(meter.charge)
      const stored = text && (await store(call, text))
      if (!(await calls.endStream(claim, charge, meter.bytes, stored)))
        return { comment: null, isPaid: false }
      const settlement = await settler.settle({
        ...namesOf(exchange),
        claim,
        payment,
        charge,
        // Only a failed source owes a second run.
        settledState: how === 'failed' ? 'settled-unfinished' : 'settled',
        keepsOwner: false,
      })
      const isPaid = settlement.outcome === 'settled'
      if (isPaid) call.budget.giveBack(1)
      // Only version 2 has `upto`.
      const { 'payment-response': paymentResponse = '' } = await settledHeaders(parts, call, settlement)
      exchange.addTrailer('payment-response', paymentResponse)
      return { comment: answer.toComment(`payment-response ${paymentResponse}`), isPaid }
    }

    const settleInTrace = keepTrace(settle)
    const body = toLiveBody({
      source,
      clock: parts.clock,
      left: exchange.request.signal,
      over: call.deadline.signal,
      maxCharge: payment.signedAmount,
      allowance,
      silence: answer.toComment('the rest is sent once the payment has settled'),
      checkpoint,
      finish: (end) => settleInTrace(end).finally(call.onEnd),
    })
    const trailer = exchange.hasTrailers ? { trailer: 'payment-response' } : {}
    return respond(call, body, { ...trailer, [RECEIPT_HEADER]: claim.id })
  }

  async function endLostCall(call: LiveCall, source: StreamSource): Promise<Reply> {
    await source.stop('taken over')
    call.onEnd()
    return refusals.inFlight(call)
  }

  return {
    serve: async (call) => {
      const source = await open(call)
      if ('code' in source) return giveUp(call, source)
      return call.payment.scheme === 'upto' ? serveUpto(call, source) : serveExact(call, source)
    },
    serveSettled: async (call, headers) => {
      const source = await open(call)
      if (!('code' in source)) return sendSettled(call, source, { headers, isRerun: true })
      await calls.finish(call.claim, false, null)
      call.onEnd()
      return refusals.refuse(call.exchange, source)
    },
  }
}

const EMPTY: Problem = {
  code: 'upstream_failed',
  detail: 'The source ended before its first content. Nothing was charged.',
}

function respond(call: LiveCall, body: ReadableStream<Uint8Array>, headers: Reply['headers']): Reply {
  return {
    status: 200,
    // Proxies that buffer the response would defeat the live answer.
    headers: { 'content-type': call.answer.contentType, 'x-accel-buffering': 'no', ...headers },
    body,
  }
}
