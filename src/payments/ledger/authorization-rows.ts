import type { Kysely, UpdateObject } from 'kysely'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { isUniqueConflict } from '../../state/conflict.ts'
import type { State } from '../../state/state.ts'
import type { CallState } from '../../state/tables/payments.ts'
import type { Tables } from '../../state/tables.ts'
import { isByPermit2 } from '../payment.ts'
import {
  type AnswerRow,
  type Authorizations,
  type Claim,
  canRerun,
  canRunAgain,
  countRuns,
  type Reservation,
  type SettledOutcome,
} from './authorizations.ts'
import { moveWithEffect, takeEffect } from './call-effects.ts'
import { type CallRow, findCall, findIdentifiedCall, isOwnerAlive } from './call-row.ts'
import type { Owner } from './owners.ts'
import { createPrepared } from './prepared.ts'
import { createSharedTransactions, runAlone } from './shared-transactions.ts'
import { toStoredOffer } from './stored-offer.ts'

type Change = UpdateObject<Tables, 'paid_call'>

/** States in which a transaction may be pending. */
const MAY_SETTLE: readonly CallState[] = ['delivered', 'streaming', 'settling', 'unknown']
const CLOSED = { is_open: 0, offer: null, owner: null, reason: null }
const NO_ANSWER = { answer_status: null, answer_headers: null, answer_file: null, answer_body: null }

export function createAuthorizations(options: {
  readonly state: State
  readonly owner: Owner
  readonly clock: () => Date
}): Authorizations {
  const { state, owner, clock } = options
  const prepared = createPrepared(state)
  const share = createSharedTransactions(state)
  let lastReservedAt = 0

  /** Microseconds, so that calls within one millisecond still have an order. */
  function nextReservedAt(): number {
    lastReservedAt = Math.max(lastReservedAt + 1, clock().getTime() * 1000)
    return lastReservedAt
  }

  const now = () => clock().getTime()

  async function move(
    claim: Claim,
    from: readonly CallState[],
    change: Change,
    isLazy = false,
  ): Promise<boolean> {
    const parameters = [...Object.values(change), claim.id, claim.token, ...from]
    const key = `${from}>${Object.keys(change)}`
    const build = () =>
      state.db
        .updateTable('paid_call')
        .set(change)
        .where('id', '=', claim.id)
        .where('claim', '=', claim.token)
        .where('state', 'in', from)
    return (await prepared.run(key, parameters, build, isLazy)) === 1
  }

  /** As `move`, for the end of a call: its staged change is written or discarded in the same transaction. */
  async function end(
    claim: Claim,
    from: readonly CallState[],
    change: Change,
    how: 'apply' | 'discard',
    advance?: SettledOutcome['advance'],
  ): Promise<boolean> {
    const work = moveWithEffect({ claim, from, change, ...(advance && { advance }) }, how)
    if (claim.effect.mayBeStaged) return runAlone(state, work)
    if (advance) return share(work)
    // Settled: the row is on disk as settling, and after a power failure the chain tells the rest.
    return move(claim, from, change, how === 'apply')
  }

  /** A payment under the same identifier was faster, or the store failed. */
  function notBegun(token: string, error: unknown): false {
    if (isUniqueConflict(error)) return false
    owner.release(token)
    throw error
  }

  /** Changes a row that nobody works on, if it is exactly as it was read. */
  async function seize(row: CallRow, change: Change, reservedAt?: number): Promise<Claim | null> {
    const token = owner.newClaim()
    const update = (db: Kysely<Tables>) =>
      db
        .updateTable('paid_call')
        .set({ ...change, owner: owner.id, claim: token })
        .where('id', '=', row.id)
        .where('claim', '=', row.claim)
        .where('state', '=', row.state)
        .where('runs', '=', row.runs)
        .where('has_effect', '=', row.has_effect)
        .where((expression) =>
          expression.or([
            expression('owner', 'is', null),
            expression('owner', '=', owner.id),
            expression.not(isOwnerAlive(expression, owner.leaseTime())),
          ]),
        )
        .executeTakeFirst()
        .then((result) => result.numUpdatedRows === 1n)
    // What an earlier run staged and never settled is not part of a new run.
    const isAgain = change.has_effect === 0 && row.has_effect === 1
    const seized = isAgain
      ? state.db.transaction().execute(async (transaction) => {
          if (!(await update(transaction))) return false
          await takeEffect(transaction, row.id, 'discard')
          return true
        })
      : update(state.db)
    const isSeized = await seized.catch((error: unknown) => notBegun(token, error))
    if (!isSeized) {
      owner.release(token)
      return null
    }
    const { runs = row.runs } = change
    const effect = { mayBeStaged: row.has_effect === 1 && !isAgain }
    return { id: row.id, token, reservedAt: reservedAt ?? row.reserved_at, runs: Number(runs), effect }
  }

  function toRow(reservation: Reservation) {
    const { payment, service, endpoint, scope, fingerprint, identifier, charge } = reservation
    return {
      scheme: payment.scheme,
      by_permit2: Number(isByPermit2(payment)),
      pay_to: payment.payTo,
      service,
      endpoint,
      resource_url: reservation.resourceUrl ?? null,
      repeat_ms: reservation.repeatMs ?? null,
      scope,
      fingerprint,
      identifier,
      state: charge === undefined ? 'reserved' : 'delivered',
      is_open: 1,
      signed_amount: toColumn(payment.signedAmount),
      charge: charge === undefined ? null : toColumn(charge),
      valid_before: payment.validBefore,
      offer: toStoredOffer(payment),
      reason: null,
      reserved_at: nextReservedAt(),
      updated_at: now(),
      check_at: 0,
    } as const
  }

  return {
    keepsOrder: state.kind === 'sqlite',
    find: (id) => findCall(state, id, owner),
    findIdentified: async ({ payment, identifier }) =>
      identifier === null
        ? null
        : findIdentifiedCall(state, { payer: payment.payer.toLowerCase(), identifier }, owner),
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
      }
      const build = () =>
        state.db
          .insertInto('paid_call')
          .values(values)
          .onConflict((conflict) => conflict.doNothing())
      // Nothing is owed yet: the next write flushes it to disk, and a power failure before that undoes the call.
      const isReserved = await prepared
        .run('reserve', Object.values(values), build, true)
        .then((count) => count === 1)
        .catch((error: unknown) => notBegun(token, error))
      if (isReserved)
        return { id, token, reservedAt: row.reserved_at, runs: 1, effect: { mayBeStaged: false } }
      owner.release(token)
      return null
    },
    reserveAgain: async (row, reservation) => {
      if (!canRunAgain(row, reservation)) return null
      const again = toRow(reservation)
      const runs = countRuns(row, reservation) + 1
      return seize(row, { ...again, ...NO_ANSWER, runs, has_effect: 0 }, again.reserved_at)
    },
    rerun: async (row) => (canRerun(row) ? seize(row, { runs: row.runs + 1, is_rerun: 1 }) : null),
    take: (row) => seize(row, {}),
    deliver: (claim, charge, answer) =>
      move(claim, ['reserved'], {
        state: 'delivered',
        updated_at: now(),
        charge: toColumn(charge),
        ...toAnswerColumns(answer),
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
    endStream: (claim, charge, bytesSent, answer) =>
      move(claim, ['streaming'], {
        state: 'settling',
        updated_at: now(),
        charge: toColumn(charge),
        bytes_sent: bytesSent,
        ...(answer && toAnswerColumns(answer)),
      }),
    settling: (claim, transaction) =>
      move(claim, MAY_SETTLE, {
        state: 'settling',
        updated_at: now(),
        // An answer that nobody fetched had been left alone until its authorization ends.
        check_at: 0,
        ...(transaction !== null && { tx_hash: transaction }),
      }),
    settled: (claim, { transaction, amount, settledAt, gasCost, state: settledState, keepsOwner, advance }) =>
      end(
        claim,
        MAY_SETTLE,
        {
          ...CLOSED,
          ...(keepsOwner && { owner: owner.id }),
          state: settledState,
          updated_at: now(),
          tx_hash: transaction,
          charge: toColumn(amount),
          settled_at: settledAt,
          gas_cost: gasCost === undefined ? null : toColumn(gasCost),
        },
        'apply',
        advance,
      ),
    // After a power failure, a stream that was delivered whole may be delivered once more.
    finish: (claim, isFinished, answer) =>
      move(
        claim,
        ['settled-unfinished'],
        {
          owner: null,
          ...(isFinished && { state: 'settled' }),
          ...(answer && toAnswerColumns(answer)),
        },
        true,
      ),
    unknown: (claim, reason, checkAt) =>
      move(claim, MAY_SETTLE, { state: 'unknown', owner: null, reason, check_at: checkAt }),
    abandon: (claim, checkAt) => move(claim, ['delivered'], { owner: null, check_at: checkAt }),
    release: (claim, reason, didRun) =>
      end(
        claim,
        ['reserved', ...MAY_SETTLE],
        {
          ...CLOSED,
          ...NO_ANSWER,
          state: 'released',
          updated_at: now(),
          charge: null,
          reason,
          ...(!didRun && { runs: claim.runs - 1 }),
        },
        'discard',
      ),
  }
}

function toAnswerColumns({ status, headers, file, body }: AnswerRow) {
  return {
    answer_status: status,
    answer_headers: JSON.stringify(headers),
    answer_file: file,
    answer_body: body,
  }
}

/** Numbers are exact up to 2^53 micro-USDC, nine billion dollars. */
function toColumn(amount: AtomicUsdc): number {
  if (amount > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('amount exceeds 2^53 micro-USDC')
  return Number(amount)
}
