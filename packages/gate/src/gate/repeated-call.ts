import { setTimeout as delay } from 'node:timers/promises'
import type { Problem } from '@tollbook/http/problem'
import type { Reply } from '@tollbook/http/reply/reply'
import type { CallRow } from '../calls/call-row.ts'
import type { CallRows } from '../calls/call-rows.ts'
import type { Recovery } from '../calls/recovery.ts'
import { canRunAgain, type Lease, MAX_RUNS, type Reservation } from '../calls/reservation.ts'
import { fromStoredOffer } from '../calls/stored-offer.ts'
import type { ChannelPayment } from '../payment.ts'
import type { Vouchers } from './channels.ts'
import type { HandlerRuns } from './handler-run.ts'
import type { PaidCall } from './paid-call.ts'
import { spent } from './reading-rights.ts'
import type { Refusals } from './refusals.ts'
import type { SettledCalls } from './settled-call.ts'

/** A row that another process changes at the same moment is read again. */
const MAX_READS = 4
/** How long a call of a channel waits for the one before it, and how often it looks. */
const MAX_TURN_MS = 10_000
const TURN_POLL_MS = 20

/** Serves a payment that has a row already. */
export class RepeatedCalls {
  readonly #calls: CallRows
  readonly #settled: SettledCalls
  readonly #recovery: Recovery
  readonly #vouchers: Vouchers
  readonly #refusals: Refusals
  readonly #runs: HandlerRuns
  readonly #clock: () => Date

  constructor(parts: {
    readonly calls: CallRows
    readonly settled: SettledCalls
    readonly recovery: Recovery
    readonly vouchers: Vouchers
    readonly refusals: Refusals
    readonly runs: HandlerRuns
    readonly clock: () => Date
  }) {
    this.#calls = parts.calls
    this.#settled = parts.settled
    this.#recovery = parts.recovery
    this.#vouchers = parts.vouchers
    this.#refusals = parts.refusals
    this.#runs = parts.runs
    this.#clock = parts.clock
  }

  /** @param obstacle why a call cannot start or settle now, if so. */
  async serve(call: PaidCall, obstacle: Problem | null): Promise<Reply> {
    for (let looks = 0; looks < MAX_READS; looks += 1) {
      const { reservation } = call
      const own = await this.#calls.find(reservation.id)
      // A released authorization must not shadow the call recorded under its payment-identifier.
      const row = own && own.state !== 'released' ? own : ((await this.#findIdentified(call)) ?? own)
      if (!row) {
        if (obstacle) return this.#refuse(call, obstacle)
        const lease = await this.#calls.reserve(reservation)
        if (lease) return this.#runs.run({ ...call, lease })
        continue
      }
      const response = await (row.id === reservation.id
        ? this.#serveRow(call, row, obstacle)
        : this.#serveIdentified(call, row, obstacle))
      if (response) return response
    }
    return this.#refusals.inFlight(call)
  }

  #refuse(call: PaidCall, problem: Problem): Reply {
    return this.#refusals.refuse(call.exchange, problem)
  }

  async #findIdentified({ reservation }: PaidCall): Promise<CallRow | null> {
    return reservation.identifier === null ? null : this.#calls.findIdentified(reservation)
  }

  /** A retry with a new signature: the first payment counts, and this one stays unused. */
  async #serveIdentified(call: PaidCall, row: CallRow, obstacle: Problem | null): Promise<Reply | null> {
    if (row.state === 'reserved' && !row.isWorkedOn) {
      await this.#recovery.reconcile(row, false)
      return null
    }
    const payment = row.offer === null ? call.payment : fromStoredOffer(row.offer)
    return this.#serveRow(
      { ...call, payment, reservation: { ...call.reservation, id: row.id } },
      row,
      obstacle,
    )
  }

  /** Null if the row has changed in the meantime. */
  async #serveRow(call: PaidCall, row: CallRow, obstacle: Problem | null): Promise<Reply | null> {
    const isOther = isForOther(call, row)
    const { channel } = call.payment
    if (isOther && channel) return this.#refuseStale(call, row, channel)
    if (isOther && !maySettle(row)) return this.#refuse(call, REUSED)
    if (row.isWorkedOn) return this.#refusals.inFlight(call)
    switch (row.state) {
      case 'released':
      case 'reserved':
        return obstacle ? this.#refuse(call, obstacle) : this.#runAgain(call, row)
      case 'settled':
      case 'settled-unfinished':
        return isOther ? this.#refuseOther(call, row) : this.#settled.repeat(call, row)
      case 'delivered':
        return obstacle ? this.#refuse(call, obstacle) : this.#settled.settle(call, row)
      case 'streaming':
      case 'settling':
      case 'unknown':
        return this.#resolve(call, row, !isOther)
    }
    row.state satisfies never
    return null
  }

  async #runAgain(call: PaidCall, row: CallRow): Promise<Reply | null> {
    if (!canRunAgain(row, call.reservation)) return this.#refuse(call, spent(sayTried(call.reservation)))
    const lease = await this.#calls.reserveAgain(row, call.reservation)
    return lease ? this.#runs.run({ ...call, lease }) : null
  }

  /**
   * Concurrent calls of one channel are signed with the same voucher. One of them is served; the client signs the
   * others again, from the state after it.
   */
  async #refuseStale(call: PaidCall, row: CallRow, channel: ChannelPayment): Promise<Reply | null> {
    const until = this.#clock().getTime() + MAX_TURN_MS
    const isRunning = (now: CallRow | null) => now?.isWorkedOn && !isCharged(now)
    for (let now: CallRow | null = row; isRunning(now); now = await this.#calls.find(row.id)) {
      if (this.#clock().getTime() > until) return this.#refusals.inFlight(call)
      await delay(TURN_POLL_MS)
    }
    if (!maySettle(row)) await this.#recovery.reconcile(row, false)
    const last = await this.#calls.find(row.id)
    return last && isCharged(last) ? this.#refuse(call, await this.#vouchers.stale(channel)) : null
  }

  /** Only the payer may learn what the payment bought: all others get the same response as for the right request. */
  async #refuseOther(call: PaidCall, row: CallRow): Promise<Reply> {
    return this.#refuse(call, (await this.#settled.whyUnreadable(call, row)) ?? REUSED)
  }

  /** A stream was about to begin, or the answer is stored, but it is not known yet whether it is paid. */
  async #resolve(call: PaidCall, row: CallRow, isWanted: boolean): Promise<Reply | null> {
    const settlement = await this.#recovery.reconcile(row, isWanted)
    if (settlement?.outcome !== 'unknown') return null
    return this.#refusals.unsettled({ ...call, lease: toLease(row) }, settlement)
  }
}

function sayTried({ maxRuns = MAX_RUNS }: Reservation): string {
  return maxRuns === 1 ? 'It was tried, and may not run again.' : `It was tried ${maxRuns} times.`
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

function toLease(row: CallRow): Lease {
  const effect = { mayBeStaged: row.has_effect === 1 }
  return { id: row.id, token: row.claim, reservedAt: row.reserved_at, runs: row.runs, effect }
}
