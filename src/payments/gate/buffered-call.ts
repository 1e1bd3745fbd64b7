import type { Answer } from '../../catalogue/answer.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { AnswerStore, StoredAnswer } from '../ledger/answers.ts'
import type { Authorizations } from '../ledger/authorizations.ts'
import type { Settled, Settler } from '../ledger/settler.ts'
import { chargeOf } from './charge.ts'
import { namesOf, type RunningCall } from './paid-call.ts'
import { toPaymentResponse } from './payment-response.ts'
import type { Refusals } from './refusals.ts'

export type BufferedAnswer = Exclude<Answer, { kind: 'stream' }>

/** Serves answers that are complete before they are paid: stored first, then settled, then sent. */
export interface BufferedCalls {
  serve(call: RunningCall, answer: BufferedAnswer): Promise<Reply>
  /** Sends a stored answer after its settlement, or a problem. */
  respond(call: RunningCall, stored: StoredAnswer, settled: Settled): Reply
}

export function createBufferedCalls(parts: {
  readonly authorizations: Authorizations
  readonly answers: AnswerStore
  readonly settler: Settler
  readonly refusals: Refusals
}): BufferedCalls {
  const { authorizations, answers, settler, refusals } = parts

  function respond(call: RunningCall, stored: StoredAnswer, settled: Settled): Reply {
    if (settled.outcome !== 'settled') return refusals.unsettled(call, settled)
    return toAnswerReply(
      stored,
      toPaymentResponse(call.payment, call.claim.id, { isSettled: true, ...settled }),
    )
  }

  return {
    respond,
    serve: async (call, answer) => {
      const { claim, payment, exchange } = call
      const charge = chargeOf(exchange.endpoint.pricing, payment, answer.charge)
      const stored = toStored(answer)
      const place = await answers.store(`${claim.id}.${claim.token.replaceAll('/', '-')}`, stored.body)
      const delivered = authorizations.deliver(claim, charge, { ...stored, ...place })
      if (exchange.request.signal.aborted) {
        if (!(await delivered)) return refusals.inFlight(call)
        // A client that has disconnected is not charged; when the payment is sent again, it is settled and
        // answered. A staged change would lock its data until then, so such a call is released and runs
        // again.
        if (claim.effect.mayBeStaged) {
          await authorizations.release(claim, 'client_gone', true)
          await answers.drop(place.file)
        } else await authorizations.abandon(claim, payment.validBefore * 1000)
        return refusals.gone()
      }
      const settled = await settler.settle({
        ...namesOf(exchange),
        claim,
        payment,
        charge,
        settledState: 'settled',
        delivered,
        keepsOwner: false,
      })
      return respond(call, stored, settled)
    },
  }
}

/** A paid answer as a reply. */
export function toAnswerReply(stored: StoredAnswer, paymentResponse: string): Reply {
  const { status, body } = stored
  return { status, headers: { ...stored.headers, 'payment-response': paymentResponse }, body }
}

export function toStored(answer: BufferedAnswer): StoredAnswer {
  if (answer.kind === 'bytes') {
    const headers = { 'content-type': answer.contentType, ...answer.headers }
    return { status: 200, headers, body: answer.body }
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers }
  return { status: answer.status, headers, body: Buffer.from(JSON.stringify(answer.body)) }
}
