import { setTimeout as wait } from 'node:timers/promises'
import { type SqlBool, sql } from 'kysely'
import type { Address } from '../../catalogue/endpoint.ts'
import type { Problem } from '../../catalogue/problem.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { State } from '../../state/state.ts'
import type { Claim } from './authorizations.ts'
import { createPrepared } from './prepared.ts'

/** A balance that was read is believed for so long; what settles meanwhile is taken off it. */
const BALANCE_MS = 2_000
/** Payers whose balance is remembered at once. */
const MOST_BALANCES = 10_000
/** How often, and how long apart, the oldest of several calls waits for the younger ones to give way. */
const PATIENCE = { looks: 5, waitMs: 10 }

export type ExposureLimits = {
  readonly callsPerPayer: number
  readonly strikes: number
  readonly strikeMs: number
}

/** Keeps what one payer may owe, run and break within bounds, over all processes, since all of it is rows. */
export interface Exposure {
  /** Judges a call that was just reserved; gives why it may not run, or null. */
  check(claim: Claim, payer: Address, signal: AbortSignal): Promise<Problem | null>
  /** A payment failed to settle after its handler had run, by the payer's doing. */
  strike(claim: Claim, payer: Address): Promise<void>
  noteSettled(payer: Address, amount: AtomicUsdc): void
}

type Standing = {
  /** Open rows, also those that nobody works on. */
  readonly rows: number
  readonly calls: number
  readonly olderCalls: number
  readonly held: bigint
  readonly olderHeld: bigint
  readonly strikes: number
}

type StandingRow = {
  readonly rows: number
  readonly calls: number
  readonly older_calls: number
  readonly held: number
  readonly older_held: number
  readonly strikes: number
}

export function createExposure(options: {
  readonly state: State
  readonly balanceOf: (payer: Address, signal: AbortSignal) => Promise<AtomicUsdc>
  readonly limits: ExposureLimits
  readonly clock: () => Date
}): Exposure {
  const { state, balanceOf, limits, clock } = options
  const prepared = createPrepared(state)
  const balances = new Map<string, { readonly readAt: number; amount: AtomicUsdc }>()

  async function readBalance(payer: Address, signal: AbortSignal): Promise<AtomicUsdc> {
    const now = clock().getTime()
    const known = balances.get(payer)
    if (known && now - known.readAt < BALANCE_MS) return known.amount
    const amount = await balanceOf(payer, signal)
    if (balances.size >= MOST_BALANCES) balances.clear()
    balances.set(payer, { readAt: now, amount })
    return amount
  }

  async function look(claim: Claim, payer: Address): Promise<Standing> {
    const since = clock().getTime() - limits.strikeMs
    // A running call may still cost its maximum; once it is answered, its charge is known.
    const hold = sql`case when state in ('reserved', 'streaming') then signed_amount
      else coalesce(charge, signed_amount) end`
    const isOlder = sql`reserved_at <= ${claim.reservedAt}`
    const strikes = sql<number>`(select count(*) from payment_strike where payer = ${payer} and struck_at > ${since})`
    const parameters = [claim.reservedAt, claim.reservedAt, payer, since, payer]
    const { rows } = await prepared.run<StandingRow>('standing', parameters, () =>
      state.db
        .selectFrom('paid_call')
        .select([
          sql<number>`cast(count(*) as bigint)`.as('rows'),
          sql<number>`cast(count(owner) as bigint)`.as('calls'),
          sql<number>`cast(count(case when ${isOlder} then owner end) as bigint)`.as('older_calls'),
          sql<number>`cast(coalesce(sum(${hold}), 0) as bigint)`.as('held'),
          sql<number>`cast(coalesce(sum(case when ${isOlder} then ${hold} end), 0) as bigint)`.as(
            'older_held',
          ),
          strikes.as('strikes'),
        ])
        .where('payer', '=', payer)
        .where(sql<SqlBool>`is_open = 1`),
    )
    const [row] = rows
    if (!row) throw new Error('an aggregate gave no row')
    return {
      rows: row.rows,
      calls: row.calls,
      olderCalls: row.older_calls,
      held: BigInt(row.held),
      olderHeld: BigInt(row.older_held),
      strikes: row.strikes,
    }
  }

  /**
   * Each call is a row before it looks, so of two calls at least one sees the other. A call goes on only when
   * all rows together fit: the younger ones give way at once, the oldest waits for that.
   */
  async function check(claim: Claim, payer: Address, signal: AbortSignal): Promise<Problem | null> {
    for (let looks = 1; ; looks += 1) {
      const standing = await look(claim, payer)
      if (standing.strikes >= limits.strikes) return struckOut(limits)
      // A call on its own is covered by the facilitator's verification.
      const balance = standing.rows === 1 ? null : await readBalance(payer, signal)
      const isCovered = (held: bigint) => balance === null || held <= balance
      const fits = standing.calls <= limits.callsPerPayer && isCovered(standing.held)
      if (fits) return null
      if (standing.olderCalls > limits.callsPerPayer) return tooManyCalls(limits)
      if (!isCovered(standing.olderHeld)) return uncovered()
      if (looks >= PATIENCE.looks)
        return standing.calls > limits.callsPerPayer ? tooManyCalls(limits) : uncovered()
      await wait(PATIENCE.waitMs, undefined, { signal })
    }
  }

  return {
    check,
    strike: async (claim, payer) => {
      await state.db
        .insertInto('payment_strike')
        .values({ id: claim.token, payer, struck_at: clock().getTime() })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    noteSettled: (payer, amount) => {
      const known = balances.get(payer)
      if (known) known.amount -= amount
    },
  }
}

function struckOut(limits: ExposureLimits): Problem {
  return {
    code: 'rate_limited',
    detail:
      'Several payments of this wallet did not settle after the work was done; it is refused for a while.',
    retryAfterSeconds: Math.ceil(limits.strikeMs / 1000),
  }
}

function tooManyCalls(limits: ExposureLimits): Problem {
  return {
    code: 'rate_limited',
    detail: `This wallet has ${limits.callsPerPayer} calls under way; a further one must wait.`,
    retryAfterSeconds: 1,
  }
}

function uncovered(): Problem {
  return {
    code: 'payment_insufficient',
    detail: 'The wallet does not cover this payment beside those that are still open.',
    members: { reason: 'insufficient_funds' },
  }
}
