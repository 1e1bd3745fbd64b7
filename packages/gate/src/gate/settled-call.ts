import type { Hex } from '@tollbook/chain/hex'
import type { Problem } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import type { AnswerStore } from '../calls/answers.ts'
import type { CallRow } from '../calls/call-row.ts'
import type { CallRows } from '../calls/call-rows.ts'
import type { Owner } from '../calls/owners.ts'
import { canRerun } from '../calls/reservation.ts'
import type { Settler } from '../calls/settler.ts'
import type { Settlement } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'
import { type BufferedCalls, toAnswerReply } from './buffered-call.ts'
import type { Vouchers } from './channels.ts'
import type { GateSettings } from './gate-options.ts'
import type { HandlerRuns } from './handler-run.ts'
import { namesOf, type PaidCall } from './paid-call.ts'
import type { PayerProof } from './payer-proof.ts'
import { mayRead, spent } from './reading-rights.ts'
import type { Refusals } from './refusals.ts'
import { settledHeaders } from './settled-headers.ts'

/** Sends the answers of calls that have run already: settled ones again, and delivered ones once they are settled. */
export class SettledCalls {
  readonly #calls: CallRows
  readonly #answers: AnswerStore
  readonly #settler: Settler
  readonly #owner: Owner
  readonly #proof: PayerProof
  readonly #vouchers: Vouchers
  readonly #buffered: BufferedCalls
  readonly #runs: HandlerRuns
  readonly #refusals: Refusals
  readonly #seller: GateSettings['seller']
  readonly #clock: () => Date
  readonly #count: (event: PaymentEvent) => void

  constructor(parts: {
    readonly calls: CallRows
    readonly answers: AnswerStore
    readonly settler: Settler
    readonly owner: Owner
    readonly proof: PayerProof
    readonly vouchers: Vouchers
    readonly buffered: BufferedCalls
    readonly runs: HandlerRuns
    readonly refusals: Refusals
    readonly seller: GateSettings['seller']
    readonly clock: () => Date
    readonly count: (event: PaymentEvent) => void
  }) {
    this.#calls = parts.calls
    this.#answers = parts.answers
    this.#settler = parts.settler
    this.#owner = parts.owner
    this.#proof = parts.proof
    this.#vouchers = parts.vouchers
    this.#buffered = parts.buffered
    this.#runs = parts.runs
    this.#refusals = parts.refusals
    this.#seller = parts.seller
    this.#clock = parts.clock
    this.#count = parts.count
  }

  /** Why the answer of a row is not sent to this caller, or null. */
  whyUnreadable(call: PaidCall, row: CallRow): Promise<Problem | null> {
    return mayRead({ call, row, proof: this.#proof, now: this.#clock() })
  }

  /** The stored answer of a settled row, or a further run of its stream. Null if the row has changed in the meantime. */
  async repeat(call: PaidCall, row: CallRow): Promise<Reply | null> {
    const { exchange } = call
    const problem = await this.whyUnreadable(call, row)
    if (problem) return this.#refusals.refuse(exchange, problem)
    const headers = await this.#headersOf(call, row)
    if (row.is_stream === 1 && row.answer_status === null) {
      if (!canRerun(row))
        return this.#refusals.refuse(exchange, spent('Its answer was streamed and is not stored.'))
      const lease = await this.#calls.rerun(row)
      return lease ? this.#runs.rerun({ ...call, lease }, headers) : null
    }
    const stored = await this.#answers.load(row.id)
    if (!stored) return this.#refusals.refuse(exchange, spent('Its answer is no longer stored.'))
    this.#count({ kind: 'repeated', ...namesOf(exchange) })
    return toAnswerReply(stored, headers)
  }

  /** Settles a delivered row, and sends its answer. Null if the row has changed in the meantime. */
  async settle(call: PaidCall, row: CallRow): Promise<Reply | null> {
    const lease = await this.#calls.take(row)
    if (!lease) return null
    try {
      const settlement = await this.#settler.settle({
        ...namesOf(call.exchange),
        lease,
        payment: call.payment,
        charge: BigInt(row.charge ?? row.signed_amount),
        settledState: 'settled',
        keepsOwner: false,
      })
      // Found used: the signature was public before this request, which therefore proves little.
      if (settlement.outcome === 'settled' && settlement.wasFound) return null
      if (settlement.outcome === 'settled') call.budget.giveBack()
      const stored = await this.#answers.load(row.id)
      return stored ? this.#buffered.respond({ ...call, lease }, stored, settlement) : null
    } finally {
      this.#owner.release(lease.token)
    }
  }

  /** The receipt is the first one, whatever host is asked now. */
  async #headersOf(call: PaidCall, row: CallRow): Promise<Reply['headers']> {
    const { channel } = call.payment
    const channelState = channel && (await this.#vouchers.stateOf(channel))
    const settlement: Settlement = { ...toSettlement(row), ...(channelState && { channelState }) }
    const { resourceUrl } = call.reservation
    const reservation = { ...call.reservation, id: row.id, resourceUrl: row.resource_url ?? resourceUrl }
    return settledHeaders(this.#seller, { ...call, reservation }, settlement)
  }
}

function toSettlement(row: CallRow): Extract<Settlement, { outcome: 'settled' }> {
  return {
    outcome: 'settled',
    // Stored hashes were Hex when the facilitators and the chain returned them.
    transaction: row.tx_hash as Hex | null,
    amount: BigInt(row.charge ?? 0),
    ...(row.settled_at !== null && { settledAt: row.settled_at }),
  }
}
