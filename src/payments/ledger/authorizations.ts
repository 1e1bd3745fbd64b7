import type { UpdateObject } from 'kysely'
import type { Endpoint } from '../../catalogue/endpoint.ts'
import type { ServiceName } from '../../catalogue/service.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { State } from '../../state/state.ts'
import type { CallState } from '../../state/tables/payments.ts'
import type { Tables } from '../../state/tables.ts'
import type { Hex, OfferedPayment } from '../payment.ts'
import { type CallRow, findCall, isOwnerAlive } from './call-row.ts'
import type { Owner } from './owners.ts'
import { createPrepared } from './prepared.ts'
import { toStoredOffer } from './stored-offer.ts'

/** How often a handler is started for one authorization, whatever becomes of the runs. */
export const MOST_RUNS = 3

/** The right to move one row on; worthless once another process has taken the row. */
export type Claim = {
  readonly id: string
  readonly token: string
  readonly reservedAt: number
  /** With the run that the claim was taken for. */
  readonly runs: number
}

/** What is known of a call when its payment is reserved. */
export type Reservation = {
  readonly id: string
  readonly payment: OfferedPayment
  readonly service: ServiceName
  readonly endpoint: Endpoint
  readonly fingerprint: string
  /** Keyed hash of the payment-identifier, or null. */
  readonly identifier: string | null
}

export type KeptAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  readonly file: string | null
}

/** The nonce ledger: every method but `find` is one compare-and-swap statement. False and null mean: not yours. */
export interface Authorizations {
  /**
   * Whether statements take effect in the order in which they were asked for, as one writer thread does it:
   * then the next may be asked for before the last is known.
   */
  readonly keepsOrder: boolean
  find(id: string): Promise<CallRow | null>
  /** Begins the first run; null when the authorization is known already. */
  reserve(reservation: Reservation): Promise<Claim | null>
  /** released, or reserved by a dead process -> reserved. */
  reserveAgain(row: CallRow, reservation: Reservation): Promise<Claim | null>
  /** settled-unfinished: begins the one further run that costs nothing. */
  rerun(row: CallRow): Promise<Claim | null>
  /** Takes a row that nobody works on, in whatever state it was read. */
  take(row: CallRow): Promise<Claim | null>
  /** reserved -> delivered: the answer is stored before money moves. */
  deliver(claim: Claim, charge: AtomicUsdc, answer: KeptAnswer): Promise<boolean>
  /** reserved -> streaming, before the first byte goes out. */
  beginStream(claim: Claim, charge: AtomicUsdc): Promise<boolean>
  /** streaming -> streaming: what a crash now would settle. */
  checkpoint(claim: Claim, charge: AtomicUsdc, bytesSent: number): Promise<boolean>
  /** streaming -> settling: the metered end of a stream is known. */
  endStream(claim: Claim, charge: AtomicUsdc, bytesSent: number): Promise<boolean>
  /** delivered, streaming, settling or unknown -> settling, before the transaction is sent (null: not by us). */
  settling(claim: Claim, transaction: Hex | null): Promise<boolean>
  /** -> settled or settled-unfinished. A row that still streams stays owned. */
  settled(claim: Claim, outcome: SettledOutcome): Promise<boolean>
  /** settled-unfinished -> settled, or given up as it is. */
  finish(claim: Claim, isFinished: boolean): Promise<boolean>
  /** -> unknown: the reconciler looks again at `checkAt` (epoch milliseconds); `updated_at` stays. */
  unknown(claim: Claim, reason: string, checkAt: number): Promise<boolean>
  /** delivered stays delivered, owned by nobody, until the payer asks again or the authorization ends. */
  abandon(claim: Claim, checkAt: number): Promise<boolean>
  /** -> released: nothing was or will be charged; what was stored is deleted. */
  release(claim: Claim, reason: string, didRun: boolean): Promise<boolean>
}

export type SettledOutcome = {
  readonly transaction: Hex
  readonly amount: AtomicUsdc
  readonly state: 'settled' | 'settled-unfinished'
  /** Whether the flow goes on, as an `exact` stream does after settling. */
  readonly keepsOwner: boolean
}

type Change = UpdateObject<Tables, 'paid_call'>

/** States in which a transaction may be under way. */
const MAY_SETTLE: readonly CallState[] = ['delivered', 'streaming', 'settling', 'unknown']
const CLOSED = { is_open: 0, offer: null, owner: null }
const NO_ANSWER = { answer_status: null, answer_headers: null, answer_file: null, answer_body: null }

export function createAuthorizations(options: {
  readonly state: State
  readonly owner: Owner
  readonly clock: () => Date
}): Authorizations {
  const { state, owner, clock } = options
  const prepared = createPrepared(state)
  let lastReservedAt = 0

  /** Microseconds, so that calls of one millisecond still stand in an order. */
  function nextReservedAt(): number {
    lastReservedAt = Math.max(lastReservedAt + 1, clock().getTime() * 1000)
    return lastReservedAt
  }

  const now = () => clock().getTime()

  async function move(claim: Claim, from: readonly CallState[], change: Change): Promise<boolean> {
    const parameters = [...Object.values(change), claim.id, claim.token, ...from]
    const key = `${from}>${Object.keys(change)}`
    const { numAffectedRows } = await prepared.run(key, parameters, () =>
      state.db
        .updateTable('paid_call')
        .set(change)
        .where('id', '=', claim.id)
        .where('claim', '=', claim.token)
        .where('state', 'in', from),
    )
    return numAffectedRows === 1n
  }

  /** Changes a row that nobody works on, exactly as it was read. */
  async function seize(row: CallRow, change: Change, reservedAt?: number): Promise<Claim | null> {
    const token = owner.newClaim()
    const result = await state.db
      .updateTable('paid_call')
      .set({ ...change, owner: owner.id, claim: token })
      .where('id', '=', row.id)
      .where('claim', '=', row.claim)
      .where('state', '=', row.state)
      .where('runs', '=', row.runs)
      .where((expression) =>
        expression.or([
          expression('owner', 'is', null),
          expression('owner', '=', owner.id),
          expression.not(isOwnerAlive(expression, clock().getTime())),
        ]),
      )
      .executeTakeFirst()
    if (result.numUpdatedRows === 1n) {
      const { runs = row.runs } = change
      return { id: row.id, token, reservedAt: reservedAt ?? row.reserved_at, runs: Number(runs) }
    }
    owner.letGo(token)
    return null
  }

  function toRow(reservation: Reservation) {
    const { payment, service, endpoint, fingerprint, identifier } = reservation
    const reservedAt = nextReservedAt()
    return {
      scheme: payment.scheme,
      pay_to: payment.payTo,
      service,
      endpoint: endpoint.id,
      scope: endpoint.scope ?? 'public',
      fingerprint,
      identifier,
      state: 'reserved',
      is_open: 1,
      signed_amount: toColumn(payment.signedAmount),
      charge: null,
      valid_before: payment.validBefore,
      offer: toStoredOffer(payment),
      reason: null,
      reserved_at: reservedAt,
      updated_at: now(),
    } as const
  }

  return {
    keepsOrder: state.kind === 'sqlite',
    find: (id) => findCall(state, id, owner, clock()),
    reserve: async (reservation) => {
      const { id, payment } = reservation
      const token = owner.newClaim()
      const row = toRow(reservation)
      const values = {
        ...row,
        id,
        payer: payment.payer.toLowerCase(),
        nonce: payment.nonce,
        network: payment.terms.network,
        asset: payment.terms.asset,
        is_stream: 0,
        runs: 1,
        is_rerun: 0,
        owner: owner.id,
        claim: token,
        bytes_sent: 0,
        check_at: 0,
      }
      const { numAffectedRows } = await prepared.run('reserve', Object.values(values), () =>
        state.db
          .insertInto('paid_call')
          .values(values)
          .onConflict((conflict) => conflict.column('id').doNothing()),
      )
      if (numAffectedRows === 1n) return { id, token, reservedAt: row.reserved_at, runs: 1 }
      owner.letGo(token)
      return null
    },
    reserveAgain: async (row, reservation) => {
      if (!canRunAgain(row)) return null
      const again = toRow(reservation)
      return seize(row, { ...again, ...NO_ANSWER, runs: row.runs + 1 }, again.reserved_at)
    },
    rerun: async (row) => {
      if (!canRerun(row)) return null
      return seize(row, { runs: row.runs + 1, is_rerun: 1 })
    },
    take: (row) => seize(row, {}),
    deliver: (claim, charge, answer) =>
      move(claim, ['reserved'], {
        state: 'delivered',
        updated_at: now(),
        charge: toColumn(charge),
        answer_status: answer.status,
        answer_headers: JSON.stringify(answer.headers),
        answer_file: answer.file,
        answer_body: answer.body,
      }),
    beginStream: (claim, charge) =>
      move(claim, ['reserved'], {
        state: 'streaming',
        updated_at: now(),
        is_stream: 1,
        bytes_sent: 0,
        charge: toColumn(charge),
      }),
    checkpoint: (claim, charge, bytesSent) =>
      move(claim, ['streaming'], { charge: toColumn(charge), bytes_sent: bytesSent }),
    endStream: (claim, charge, bytesSent) =>
      move(claim, ['streaming'], {
        state: 'settling',
        updated_at: now(),
        charge: toColumn(charge),
        bytes_sent: bytesSent,
      }),
    settling: (claim, transaction) =>
      move(claim, MAY_SETTLE, {
        state: 'settling',
        updated_at: now(),
        ...(transaction !== null && { tx_hash: transaction }),
      }),
    settled: (claim, { transaction, amount, state: settledState, keepsOwner }) =>
      move(claim, MAY_SETTLE, {
        ...CLOSED,
        ...(keepsOwner && { owner: owner.id }),
        state: settledState,
        updated_at: now(),
        tx_hash: transaction,
        charge: toColumn(amount),
        settled_at: now(),
        reason: null,
      }),
    finish: (claim, isFinished) =>
      move(claim, ['settled-unfinished'], {
        owner: null,
        ...(isFinished && { state: 'settled' }),
      }),
    unknown: (claim, reason, checkAt) =>
      move(claim, MAY_SETTLE, { state: 'unknown', owner: null, reason, check_at: checkAt }),
    abandon: (claim, checkAt) => move(claim, ['delivered'], { owner: null, check_at: checkAt }),
    release: (claim, reason, didRun) =>
      move(claim, ['reserved', ...MAY_SETTLE], {
        ...CLOSED,
        ...NO_ANSWER,
        state: 'released',
        updated_at: now(),
        charge: null,
        reason,
        ...(!didRun && { runs: claim.runs - 1 }),
      }),
  }
}

/** A row that is not charged may be used again; one that streams keeps a run for after its settlement. */
export function canRunAgain(row: CallRow): boolean {
  if (row.state !== 'released' && row.state !== 'reserved') return false
  return row.runs < (row.is_stream === 1 ? MOST_RUNS - 1 : MOST_RUNS)
}

/** A stream that was charged and cut short is given once more. */
export function canRerun(row: CallRow): boolean {
  return row.state === 'settled-unfinished' && row.is_rerun === 0 && row.runs < MOST_RUNS
}

/** Amounts are exact as numbers up to 2^53 micro-USDC, nine billion dollars. */
function toColumn(amount: AtomicUsdc): number {
  if (amount > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('an amount beyond 2^53 micro-USDC')
  return Number(amount)
}
