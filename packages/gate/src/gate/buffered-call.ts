import { inStep } from '@tollbook/flow/trace'
import type { Reply } from '@tollbook/http/reply/reply'
import type { AnswerStore } from '../calls/answers.ts'
import type { CallRows } from '../calls/call-rows.ts'
import type { AnswerRow, StoredAnswer } from '../calls/reservation.ts'
import type { Settler } from '../calls/settler.ts'
import type { Answer } from '../contract/answer.ts'
import type { Settlement } from '../facilitator.ts'
import { chargeOf } from './charge.ts'
import type { GateSettings } from './gate-options.ts'
import { namesOf, type RunningCall } from './paid-call.ts'
import type { Refusals } from './refusals.ts'
import { settledHeaders } from './settled-headers.ts'

export type BufferedAnswer = Exclude<Answer, { kind: 'stream' }>

/** Serves answers that are complete before they are paid: stored first, then settled, then sent. */
export class BufferedCalls {
  readonly #calls: CallRows
  readonly #answers: AnswerStore
  readonly #settler: Settler
  readonly #refusals: Refusals
  readonly #seller: GateSettings['seller']

  constructor(parts: {
    readonly calls: CallRows
    readonly answers: AnswerStore
    readonly settler: Settler
    readonly refusals: Refusals
    readonly seller: GateSettings['seller']
  }) {
    this.#calls = parts.calls
    this.#answers = parts.answers
    this.#settler = parts.settler
    this.#refusals = parts.refusals
    this.#seller = parts.seller
  }

  async serve(call: RunningCall, answer: BufferedAnswer): Promise<Reply> {
    const { lease, payment, exchange } = call
    const charge = chargeOf(exchange.endpoint.pricing, payment, answer.charge)
    const stored = toStored(answer)
    const row = await this.#answers.store(lease, stored)
    const delivered = inStep('store answer', () => this.#calls.deliver(lease, charge, row))
    if (exchange.request.signal.aborted) return this.#keepForLater(call, row, await delivered)
    const settlement = await this.#settler.settle({
      ...namesOf(exchange),
      lease,
      payment,
      charge,
      settledState: 'settled',
      delivered,
      keepsOwner: false,
    })
    return this.respond(call, stored, settlement)
  }

  /** Sends a stored answer after its settlement, or a problem. */
  async respond(call: RunningCall, stored: StoredAnswer, settlement: Settlement): Promise<Reply> {
    if (settlement.outcome !== 'settled') return this.#refusals.unsettled(call, settlement)
    return toAnswerReply(stored, await settledHeaders(this.#seller, call, settlement))
  }

  /**
   * A client that has disconnected is not charged; when the payment is sent again, it is settled and answered. A
   * staged change would lock its data until then, and a voucher its channel, so such a call is released and runs again.
   */
  async #keepForLater(
    { exchange, lease, payment }: RunningCall,
    row: AnswerRow,
    isDelivered: boolean,
  ): Promise<Reply> {
    if (!isDelivered) return this.#refusals.inFlight({ exchange })
    if (lease.effect.mayBeStaged || payment.channel) {
      await this.#calls.release(lease, 'client_gone', true)
      await this.#answers.drop(row.file)
    } else await this.#calls.abandon(lease, payment.validBefore * 1000)
    return this.#refusals.gone()
  }
}

export function toAnswerReply({ status, headers, body }: StoredAnswer, settlement: Reply['headers']): Reply {
  return { status, headers: { ...headers, ...settlement }, body }
}

export function toStored(answer: BufferedAnswer): StoredAnswer {
  if (answer.kind === 'response') return { status: answer.status, headers: answer.headers, body: answer.body }
  if (answer.kind === 'bytes') {
    const headers = { 'content-type': answer.contentType, ...answer.headers }
    return { status: 200, headers, body: answer.body }
  }
  const headers = { 'content-type': 'application/json; charset=utf-8', ...answer.headers }
  return { status: answer.status, headers, body: Buffer.from(JSON.stringify(answer.body)) }
}
