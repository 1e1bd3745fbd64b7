import { setTimeout as delay } from 'node:timers/promises'
import type { Hex } from '../../chain/hex.ts'
import type { Problem } from '../../http/problem.ts'
import type { Reply } from '../../http/reply/reply.ts'
import type { Channels } from '../channels/open-channels.ts'
import type { Settlement } from '../facilitator.ts'
import type { AnswerStore } from '../ledger/answers.ts'
import type { CallRow } from '../ledger/call-row.ts'
import type { CallRows } from '../ledger/call-rows.ts'
import type { Owner } from '../ledger/owners.ts'
import type { Recovery } from '../ledger/recovery.ts'
import { type Claim, canRerun, canRunAgain, MAX_RUNS } from '../ledger/reservation.ts'
import type { Settler } from '../ledger/settler.ts'
import { fromStoredOffer } from '../ledger/stored-offer.ts'
import type { ChannelPayment } from '../payment.ts'
import type { PaymentEvent } from '../payment-event.ts'
import { type BufferedCalls, toAnswerReply } from './buffered-call.ts'
import type { GateSettings } from './gate-options.ts'
import { namesOf, type PaidCall, type RunningCall } from './paid-call.ts'
import type { PayerProof } from './payer-proof.ts'
import { mayRead, spent } from './reading-rights.ts'
import type { Refusals } from './refusals.ts'
import { settledHeaders } from './settled-headers.ts'

/** A row that another process changes at the same moment is read again. */
const MAX_READS = 4
/** How long a call of a channel waits for the one before it, and how often it looks. */
const MAX_TURN_MS = 10_000
const TURN_POLL_MS = 20

/** Serves a payment that is already in the ledger. */
export interface RepeatedCalls {
  /** @param obstacle why a call cannot start or settle now, if so. */
  serve(call: PaidCall, obstacle: Problem | null): Promise<Reply>
}

export function createRepeatedCalls(parts: {
  readonly calls: CallRows
  readonly answers: AnswerStore
  readonly settler: Settler
  readonly recovery: Recovery
  readonly proof: PayerProof
  readonly channels: Pick<Channels, 'vouchers'>
  readonly buffered: BufferedCalls
  readonly refusals: Refusals
  readonly seller: GateSettings['seller']
  readonly clock: () => Date
  readonly owner: Pick<Owner, 'release'>
  readonly count: (event: PaymentEvent) => void
  /** Runs the handler for a reserved authorization. */
  readonly run: (call: RunningCall) => Promise<Reply>
  /** Runs the handler again for a stream that is already settled. */
  readonly rerun: (call: RunningCall, headers: Reply['headers']) => Promise<Reply>
}): RepeatedCalls {
  const { calls, settler, refusals } = parts

  const refuse = (call: PaidCall, problem: Problem) => refusals.refuse(call.exchange, problem)

  async function serve(call: PaidCall, obstacle: Problem | null): Promise<Reply> {
    for (let looks = 0; looks < MAX_READS; looks += 1) {
      const { reservation } = call
      const own = await calls.find(reservation.id)
      // A released authorization must not shadow the call recorded under its payment-identifier.
      const row = own && own.state !== 'released' ? own : ((await findIdentified(call)) ?? own)
      if (!row) {
        if (obstacle) return refuse(call, obstacle)
        const claim = await calls.reserve(reservation)
        if (claim) return parts.run({ ...call, claim })
        continue
      }
      const response = await (row.id === reservation.id
        ? serveRow(call, row, obstacle)
        : serveIdentified(call, row, obstacle))
      if (response) return response
    }
    return refusals.inFlight(call)
  }

  async function findIdentified({ reservation }: PaidCall): Promise<CallRow | null> {
    return reservation.identifier === null ? null : calls.findIdentified(reservation)
  }

  /** A retry with a new signature: the first payment counts, and this one stays unused. */
  async function serveIdentified(
    call: PaidCall,
    row: CallRow,
    obstacle: Problem | null,
  ): Promise<Reply | null> {
    if (row.state === 'reserved' && !row.isWorkedOn) {
      await parts.recovery.reconcile(row, false)
      return null
    }
    const payment = row.offer === null ? call.payment : fromStoredOffer(row.offer)
    return serveRow({ ...call, payment, reservation: { ...call.reservation, id: row.id } }, row, obstacle)
  }

  /** Null if the row has changed in the meantime. */
  async function serveRow(call: PaidCall, row: CallRow, obstacle: Problem | null): Promise<Reply | null> {
    const isOther = isForOther(call, row)
    const { channel } = call.payment
    if (isOther && channel) return refuseStale(call, row, channel)
    if (isOther && !maySettle(row)) return refuse(call, REUSED)
    if (row.isWorkedOn) return refusals.inFlight(call)
    switch (row.state) {
      case 'released':
      case 'reserved':
        return obstacle ? refuse(call, obstacle) : runAgain(call, row)
      case 'settled':
      case 'settled-unfinished':
        return isOther ? refuseOther(call, row) : giveSettled(call, row)
      case 'delivered':
      case 'streaming':
      case 'settling':
      case 'unknown':
        return resolve(call, row, obstacle, !isOther)
    }
    row.state satisfies never
    return null
  }

  async function runAgain(call: PaidCall, row: CallRow): Promise<Reply | null> {
    if (!canRunAgain(row, call.reservation)) return refuse(call, spent(`It was tried ${MAX_RUNS} times.`))
    const claim = await calls.reserveAgain(row, call.reservation)
    return claim ? parts.run({ ...call, claim }) : null
  }

  /**
   * Concurrent calls of one channel are signed with the same voucher. One of them is served; the client signs the
   * others again, from the state after it.
   */
  async function refuseStale(call: PaidCall, row: CallRow, channel: ChannelPayment): Promise<Reply | null> {
    const until = parts.clock().getTime() + MAX_TURN_MS
    const isRunning = (now: CallRow | null) => now?.isWorkedOn && !isCharged(now)
    for (let now: CallRow | null = row; isRunning(now); now = await calls.find(row.id)) {
      if (parts.clock().getTime() > until) return refusals.inFlight(call)
      await delay(TURN_POLL_MS)
    }
    if (!maySettle(row)) await parts.recovery.reconcile(row, false)
    const last = await calls.find(row.id)
    return last && isCharged(last) ? refuse(call, await parts.channels.vouchers.stale(channel)) : null
  }

  /** Only the payer may learn what the payment bought: all others get the same response as for the right request. */
  async function refuseOther(call: PaidCall, row: CallRow): Promise<Reply> {
    const problem = await mayRead({ call, row, proof: parts.proof, now: parts.clock() })
    return refuse(call, problem ?? REUSED)
  }

  async function giveSettled(call: PaidCall, row: CallRow): Promise<Reply | null> {
    const problem = await mayRead({ call, row, proof: parts.proof, now: parts.clock() })
    if (problem) return refuse(call, problem)
    const { channel } = call.payment
    const channelState = channel && (await parts.channels.vouchers.stateOf(channel))
    const settlement: Settlement = { ...toSettlement(row), ...(channelState && { channelState }) }
    // The receipt is the first one, whatever host is asked now.
    const { resourceUrl } = call.reservation
    const reservation = { ...call.reservation, id: row.id, resourceUrl: row.resource_url ?? resourceUrl }
    const headers = await settledHeaders(parts, { ...call, reservation }, settlement)
    if (row.is_stream === 1 && row.answer_status === null) {
      if (!canRerun(row)) return refuse(call, spent('Its answer was streamed and is not stored.'))
      const claim = await calls.rerun(row)
      return claim ? parts.rerun({ ...call, claim }, headers) : null
    }
    const stored = await parts.answers.load(row.id)
    if (!stored) return refuse(call, spent('Its answer is no longer stored.'))
    parts.count({ kind: 'repeated', ...namesOf(call.exchange) })
    return toAnswerReply(stored, headers)
  }

  /** The answer is stored, or a stream was about to begin, but it is not known yet whether it is paid. */
  async function resolve(
    call: PaidCall,
    row: CallRow,
    obstacle: Problem | null,
    isWanted: boolean,
  ): Promise<Reply | null> {
    if (row.state === 'delivered') return obstacle ? refuse(call, obstacle) : settleDelivered(call, row)
    const settlement = await parts.recovery.reconcile(row, isWanted)
    if (settlement?.outcome !== 'unknown') return null
    return refusals.unsettled({ ...call, claim: toClaim(row) }, settlement)
  }

  async function settleDelivered(call: PaidCall, row: CallRow): Promise<Reply | null> {
    const claim = await calls.take(row)
    if (!claim) return null
    try {
      const settlement = await settler.settle({
        ...namesOf(call.exchange),
        claim,
        payment: call.payment,
        charge: BigInt(row.charge ?? row.signed_amount),
        settledState: 'settled',
        keepsOwner: false,
      })
      // Found used: the signature was public before this request, which therefore proves little.
      if (settlement.outcome === 'settled' && settlement.wasFound) return null
      if (settlement.outcome === 'settled') call.budget.giveBack()
      const stored = await parts.answers.load(row.id)
      return stored ? parts.buffered.respond({ ...call, claim }, stored, settlement) : null
    } finally {
      parts.owner.release(claim.token)
    }
  }

  return { serve }
}

const REUSED: Problem = {
  code: 'payment_reused',
  detail: 'This payment, or its payment-identifier, was presented with another request.',
}

/** A released authorization may be used for any request. */
function isForOther({ reservation }: PaidCall, row: CallRow): boolean {
  return row.state !== 'released' && row.fingerprint !== reservation.fingerprint
}

/** Whether the payment may be on the chain, where anyone can read it. */
function maySettle({ state }: CallRow): boolean {
  return state !== 'reserved' && state !== 'delivered'
}

/** Whether its channel was charged; a stream runs on after that. */
function isCharged({ state }: CallRow): boolean {
  return state === 'settled' || state === 'settled-unfinished'
}

function toClaim(row: CallRow): Claim {
  const effect = { mayBeStaged: row.has_effect === 1 }
  return { id: row.id, token: row.claim, reservedAt: row.reserved_at, runs: row.runs, effect }
}

function toSettlement(row: CallRow): Extract<Settlement, { outcome: 'settled' }> {
  return {
    outcome: 'settled',
    // Hashes in the ledger were Hex when the facilitators and the chain returned them.
    transaction: row.tx_hash as Hex | null,
    amount: BigInt(row.charge ?? 0),
    ...(row.settled_at !== null && { settledAt: row.settled_at }),
  }
}
