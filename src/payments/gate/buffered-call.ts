import type { Answer } from '../../catalogue/answer.ts'
import { inStep } from '../../flow/trace.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { Settlement } from '../facilitator.ts'
import type { AnswerStore } from '../ledger/answers.ts'
import type { CallRows } from '../ledger/call-rows.ts'
import type { StoredAnswer } from '../ledger/reservation.ts'
import type { Settler } from '../ledger/settler.ts'
import { chargeOf } from './charge.ts'
import type { GateSettings } from './gate-options.ts'
import { namesOf, type RunningCall } from './paid-call.ts'
import type { Refusals } from './refusals.ts'
import { settledHeaders } from './settled-headers.ts'

export type BufferedAnswer = Exclude<Answer, { kind: 'stream' }>

/** Serves answers that are complete before they are paid: stored first, then settled, then sent. */
export interface BufferedCalls {
  serve(call: RunningCall, answer: BufferedAnswer): Promise<Reply>
  /** Sends a stored answer after its settlement, or a problem. */
  respond(call: RunningCall, stored: StoredAnswer, settlement: Settlement): Promise<Reply>
}

export function createBufferedCalls(parts: {
  readonly calls: CallRows
  readonly answers: AnswerStore
  readonly settler: Settler
  readonly refusals: Refusals
  readonly seller: GateSettings['seller']
}): BufferedCalls {
  const { calls, answers, settler, refusals } = parts

  async function respond(call: RunningCall, stored: StoredAnswer, settlement: Settlement): Promise<Reply> {
    if (settlement.outcome !== 'settled') return refusals.unsettled(call, settlement)
    return toAnswerReply(stored, await settledHeaders(parts, call, settlement))
  }

  return {
    respond,
    serve: async (call, answer) => {
      const { claim, payment, exchange } = call
      const charge = chargeOf(exchange.endpoint.pricing, payment, answer.charge)
      const stored = toStored(answer)
      const row = await answers.store(claim, stored)
      const delivered = inStep('store answer', () => calls.deliver(claim, charge, row))
      if (exchange.request.signal.aborted) {
        if (!(await delivered)) return refusals.inFlight(call)
        // A client that has disconnected is not charged; when the payment is sent again, it is settled and
        // answered. A staged change would lock its data until then, and a voucher its channel, so such a
        // call is released and runs again.
        if (claim.effect.mayBeStaged || payment.channel) {
          await calls.release(claim, 'client_gone', true)
          await answers.drop(row.file)
        } else await calls.abandon(claim, payment.validBefore * 1000)
        return refusals.gone()
      }
      const settlement = await settler.settle({
        ...namesOf(exchange),
        claim,
        payment,
        charge,
        settledState: 'settled',
        delivered,
        keepsOwner: false,
      })
      return respond(call, stored, settlement)
    },
  }
}

export function toAnswerReply({ status, headers, body }: StoredAnswer, settlement: Reply['headers']): Reply {
  return { status, headers: { ...headers, ...settlement }, body }
}

export function toStored(answer: BufferedAnswer): StoredAnswer {
  if (answer.kind === 'bytes') {
    const headers = { 'content-type': answer.contentType, ...answer.headers }
    return { status: 200, headers, body: answer.body }
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers }
  return { status: answer.status, headers, body: Buffer.from(JSON.stringify(answer.body)) }
}
