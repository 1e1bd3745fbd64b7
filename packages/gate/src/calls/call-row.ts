import type { SqlTime } from '@tollbook/store/database-time'
import { type ExpressionBuilder, type ExpressionWrapper, type Selectable, type SqlBool, sql } from 'kysely'
import type { PaidCallTable } from '../state/payment-tables.ts'
import type { State } from '../state/state.ts'
import type { Tables } from '../state/tables.ts'
import type { Owner } from './owners.ts'
import { isOfKind } from './row-kind.ts'

const COLUMNS = [
  'id',
  'payer',
  'nonce',
  'network',
  'asset',
  'pay_to',
  'scheme',
  'service',
  'endpoint',
  'resource_url',
  'scope',
  'fingerprint',
  'identifier',
  'state',
  'is_stream',
  'runs',
  'owner',
  'claim',
  'signed_amount',
  'charge',
  'valid_before',
  'offer',
  'tx_hash',
  'reason',
  'bytes_sent',
  'reserved_at',
  'updated_at',
  'settled_at',
  'answer_status',
  'answer_file',
  'has_effect',
] as const satisfies readonly (keyof PaidCallTable)[]

/** A row without its answer, and whether someone works on it now. */
export type CallRow = Pick<Selectable<PaidCallTable>, (typeof COLUMNS)[number]> & {
  readonly isWorkedOn: boolean
}

/** SQL: the row's owner has a lease at that time. */
export function isOwnerAlive(
  expression: ExpressionBuilder<Tables, 'paid_call'>,
  time: SqlTime,
): ExpressionWrapper<Tables, 'paid_call', SqlBool> {
  return expression.exists(
    expression
      .selectFrom('payment_owner')
      .select('payment_owner.id')
      .whereRef('payment_owner.id', '=', 'paid_call.owner')
      .where('payment_owner.lease_until', '>=', time),
  )
}

/** Reads one row. */
export async function findCall(state: State, id: string, owner: Owner): Promise<CallRow | null> {
  const row = await selectCalls(state, owner).where('id', '=', id).executeTakeFirst()
  return row ? withWork(row, owner) : null
}

/** Reads the call recorded under a payer's `payment-identifier`. */
export async function findIdentifiedCall(
  state: State,
  named: { readonly payer: string; readonly identifier: string },
  owner: Owner,
): Promise<CallRow | null> {
  const row = await selectCalls(state, owner)
    .where('payer', '=', named.payer)
    .where('identifier', '=', named.identifier)
    .where(sql<SqlBool>`state <> 'released'`)
    .executeTakeFirst()
  return row ? withWork(row, owner) : null
}

/** A row of this process that no task works on has lost its task to an error; a younger one may be just starting. */
const OWN_ORPHAN_MS = 10_000

/** Reads open rows that nobody works on and that are due, oldest first. */
export async function findOrphans(
  state: State,
  owner: Owner,
  now: Date,
  limit: number,
): Promise<readonly CallRow[]> {
  const rows = await selectCalls(state, owner)
    .where(sql<SqlBool>`is_open = 1`)
    .where('check_at', '<=', now.getTime())
    .where(isOfKind(owner.kind))
    .where((expression) =>
      expression.or([
        expression('owner', 'is', null),
        expression.and([
          expression('owner', '=', owner.id),
          expression('reserved_at', '<', (now.getTime() - OWN_ORPHAN_MS) * 1000),
        ]),
        expression.not(isOwnerAlive(expression, owner.leaseTime())),
      ]),
    )
    .orderBy('reserved_at')
    .limit(limit)
    .execute()
  return rows.map((row) => withWork(row, owner)).filter((row) => !row.isWorkedOn)
}

function selectCalls(state: State, owner: Owner) {
  return state.db
    .selectFrom('paid_call')
    .select(COLUMNS)
    .select((expression) => isOwnerAlive(expression, owner.leaseTime()).as('is_owner_alive'))
}

type RowWithLease = Pick<Selectable<PaidCallTable>, (typeof COLUMNS)[number]> & {
  readonly is_owner_alive: SqlBool
}

/** For its own rows, this process knows better than the lease what it works on. */
function withWork({ is_owner_alive, ...row }: RowWithLease, owner: Owner): CallRow {
  const isWorkedOn = row.owner === owner.id ? owner.isActive(row.claim) : Boolean(is_owner_alive)
  return { ...row, isWorkedOn }
}
