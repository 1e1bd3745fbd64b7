import type { PreparedRead } from '@tollbook/store/prepared-read'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { State } from '../state/state.ts'
import { heldAmount } from './live-allowance.ts'
import { isOfKind, type RowKind } from './row-kind.ts'

/** What the rows of a payer amount to, as one call sees them; money in micro-USDC. */
export type Standing = {
  /** Open rows, including those that nobody works on. */
  readonly rows: number
  readonly calls: number
  readonly olderCalls: number
  readonly held: number
  readonly olderHeld: number
  /** The part of it that Permit2 moves. */
  readonly heldByPermit2: number
  readonly olderHeldByPermit2: number
  /** The part of that under `upto`. */
  readonly heldByUpto: number
  readonly olderHeldByUpto: number
  readonly strikes: number
  /** Settled calls, as far as stored. */
  readonly paidCalls: number | null
  readonly revertedAt: number | null
}

/**
 * Reads the standing of a payer. Parameters: four times the moment from which a call counts as older, the payer, since when strikes count,
 * the payer three times.
 */
export function prepareStanding(state: State, kind: RowKind): PreparedRead<Standing> {
  const isOlder = sql`reserved_at <= ${0}`
  const isUpto = sql`scheme = 'upto'`
  const isPermit2 = sql`(scheme = 'upto' or by_permit2 = 1)`
  const sumHeld = (condition: RawBuilder<unknown>) =>
    sql<number>`cast(coalesce(sum(case when ${condition} then ${heldAmount} end), 0) as bigint)`
  const strikes = sql<number>`(select count(*) from payment_strike where payer = ${''} and struck_at > ${0})`
  return state.prepare<Standing>(`standing of a payer in ${kind}`, (db) =>
    db
      .selectFrom('paid_call')
      .select([
        sql<number>`cast(count(*) as bigint)`.as('rows'),
        sql<number>`cast(count(owner) as bigint)`.as('calls'),
        sql<number>`cast(count(case when ${isOlder} then owner end) as bigint)`.as('olderCalls'),
        sql<number>`cast(coalesce(sum(${heldAmount}), 0) as bigint)`.as('held'),
        sumHeld(isOlder).as('olderHeld'),
        sumHeld(isPermit2).as('heldByPermit2'),
        sumHeld(sql`${isPermit2} and ${isOlder}`).as('olderHeldByPermit2'),
        sumHeld(isUpto).as('heldByUpto'),
        sumHeld(sql`${isUpto} and ${isOlder}`).as('olderHeldByUpto'),
        strikes.as('strikes'),
        sql<number | null>`(select calls from payer_credit where payer = ${''})`.as('paidCalls'),
        sql<number | null>`(select reverted_at from payer_credit where payer = ${''})`.as('revertedAt'),
      ])
      .where('payer', '=', '')
      .where(sql<SqlBool>`is_open = 1`)
      .where(isOfKind(kind)),
  )
}
