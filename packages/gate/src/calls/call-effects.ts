import { ProblemError } from '@tollbook/http/problem'
import { CompiledQuery, type Transaction, type UpdateObject } from 'kysely'
import type { Effect, Effects } from '../contract/effects.ts'
import type { CallState } from '../state/payment-tables.ts'
import type { Tables } from '../state/tables.ts'
import type { Lease, SettledOutcome } from './reservation.ts'

/** Stages the change that the handler of a reserved call makes. */
export function createCallEffects(lease: Lease): Effects {
  return {
    stage: (state, work) => {
      // Set before anything is written: from here on, whatever ends the call looks for a staged change.
      lease.effect.mayBeStaged = true
      return state.db.transaction().execute(async (transaction) => {
        // The store whose data change is the one that has the calls, so that both change at once.
        const calls = transaction as unknown as Transaction<Tables>
        const fenced = await calls
          .updateTable('paid_call')
          .set({ has_effect: 1 })
          .where('id', '=', lease.id)
          .where('claim', '=', lease.token)
          .where('state', '=', 'reserved')
          .executeTakeFirst()
        if (fenced.numUpdatedRows !== 1n) throw new ProblemError(TAKEN_OVER)
        const { result, effect } = await work(transaction)
        if (effect) await calls.insertInto('call_effect').values(toRow(lease, effect)).execute()
        return result
      })
    },
  }
}

type Move = {
  readonly lease: Lease
  readonly from: readonly CallState[]
  readonly change: UpdateObject<Tables, 'paid_call'>
  readonly advance?: SettledOutcome['advance']
}

/** Moves a row in a transaction, and writes or discards its staged change; false undoes both. */
export function moveWithEffect(
  { lease, from, change, advance }: Move,
  how: 'apply' | 'discard',
): (transaction: Transaction<Tables>) => Promise<boolean> {
  return async (transaction) => {
    const moved = await transaction
      .updateTable('paid_call')
      .set({ ...change, has_effect: 0 })
      .where('id', '=', lease.id)
      .where('claim', '=', lease.token)
      .where('state', 'in', from)
      .executeTakeFirst()
    if (moved.numUpdatedRows !== 1n) return false
    if (lease.effect.mayBeStaged) await takeEffect(transaction, lease.id, how)
    return advance ? advance(transaction) : true
  }
}

/** Deletes the staged change of a call; runs its statements if `how` is `apply`. */
export async function takeEffect(
  transaction: Transaction<Tables>,
  call: string,
  how: 'apply' | 'discard',
): Promise<void> {
  const staged = await transaction
    .deleteFrom('call_effect')
    .where('call', '=', call)
    .returning('statements')
    .executeTakeFirst()
  if (!staged || how === 'discard') return
  for (const { sql, parameters } of parseStatements(staged.statements))
    await transaction.executeQuery(CompiledQuery.raw(sql, [...parameters]))
}

function toRow(lease: Lease, effect: Effect) {
  const { owner, resource, part, isExclusive, isNew, bytes, rows, lastId } = effect
  const statements = effect.statements.map((statement) => {
    const { sql, parameters } = statement.compile()
    return { sql, parameters: parameters.map(toJsonValue) }
  })
  return {
    call: lease.id,
    owner,
    resource,
    part,
    is_exclusive: isExclusive ? 1 : 0,
    is_new: isNew ? 1 : 0,
    bytes,
    rows,
    last_id: lastId,
    statements: JSON.stringify(statements),
  }
}

type Statement = { readonly sql: string; readonly parameters: readonly unknown[] }

/** Reads what `toRow` wrote. */
function parseStatements(text: string): readonly Statement[] {
  const statements = JSON.parse(text) as readonly Statement[]
  return statements.map(({ sql, parameters }) => ({ sql, parameters: parameters.map(fromJsonValue) }))
}

/** Bytes become an object with base64; no parameter of a statement is an object. */
function toJsonValue(value: unknown): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
}

function fromJsonValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return new Uint8Array(Buffer.from((value as { readonly base64: string }).base64, 'base64'))
}

const TAKEN_OVER = {
  code: 'payment_in_flight',
  detail: 'Another process serves this payment now.',
  retryAfterSeconds: 1,
} as const
