import { setTimeout as wait } from 'node:timers/promises'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Address } from '../../chain/hex.ts'
import type { Problem } from '../../http/problem.ts'
import { type AtomicUsdc, formatUsd } from '../../money/usdc.ts'
import type { PreparedRead } from '../../state/prepared-read.ts'
import type { State } from '../../state/state.ts'
import type { ChainReader } from '../facilitator.ts'
import { isByPermit2, type OfferedPayment } from '../payment.ts'
import { createLiveAllowance, heldAmount } from './live-allowance.ts'
import type { PayerCredit } from './payer-credit.ts'
import type { Claim } from './reservation.ts'
import { isOfKind, type RowKind } from './row-kind.ts'
import { createWalletReading } from './wallet-reading.ts'

/** How often and how long apart the oldest of several calls waits for the younger ones to give way. */
const RETRIES = { maxAttempts: 5, waitMs: 10 }

export type ExposureLimits = {
  readonly callsPerPayer: number
  readonly unsettledUpto: AtomicUsdc
  /** Strikes after which a payer is refused. */
  readonly strikes: number
  readonly strikeMs: number
}

/** Limits what one payer may owe, run and break, across all processes, because all of it is in rows. */
export interface Exposure {
  /** Checks a call that was just reserved; returns why it may not run, or null. */
  check(claim: Claim, payment: OfferedPayment, signal: AbortSignal): Promise<Problem | null>
  /**
   * Records that a payment failed to settle after its handler ran, because of the payer.
   * @param isFull whether this alone counts as all strikes, so that the payer is refused from now on.
   */
  strike(claim: Claim, payer: Address, isFull: boolean): Promise<void>
  noteSettled(payment: OfferedPayment, amount: AtomicUsdc): Promise<void>
  /** Records that a payment did not settle after its answer was sent. */
  noteUnsettled(payment: OfferedPayment): Promise<void>
  /** Micro-USDC of a live metered answer that may be sent before it settles; null: everything that was signed. */
  liveAllowance(claim: Claim, payment: OfferedPayment): Promise<AtomicUsdc | null>
  /** Whether the wallet still holds an amount and Permit2 may move it; true if the chain cannot be read. */
  covers(payment: OfferedPayment, amount: AtomicUsdc, signal: AbortSignal): Promise<boolean>
}

type Standing = {
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

export function createExposure(options: {
  readonly state: State
  readonly chainReader: Pick<ChainReader, 'balanceOf' | 'allowanceOf'>
  readonly credit: PayerCredit
  readonly limits: ExposureLimits
  readonly clock: () => Date
  /** Whose rows count; default sales. A call sold here may also be a row of our own facilitator service. */
  readonly kind?: RowKind | undefined
}): Exposure {
  const { state, chainReader, credit, limits, clock, kind = 'sales' } = options
  const readStanding = prepareStanding(state, kind)
  const balances = createWalletReading(chainReader.balanceOf, clock)
  const allowances = createWalletReading(chainReader.allowanceOf, clock)
  const live = createLiveAllowance({ state, clock, maxAllowance: limits.unsettledUpto })

  async function look(claim: Claim, payer: Address): Promise<Standing> {
    const since = clock().getTime() - limits.strikeMs
    const older = Array<number>(4).fill(claim.reservedAt)
    const [row] = await readStanding([...older, payer, since, payer, payer, payer])
    if (!row) throw new Error('aggregate query returned no row')
    return row
  }

  /** What all open rows of the payer together may cost. */
  async function readCover(payment: OfferedPayment, strikes: number, signal: AbortSignal): Promise<Cover> {
    const [balance, allowance] = await Promise.all([
      balances.read(payment.payer, signal),
      isByPermit2(payment) && !payment.permit ? allowances.read(payment.payer, signal) : null,
    ])
    if (!payment.permit) return { balance, allowance }
    // The token accepts one of several concurrent permits, whose maximum has to cover all calls; usually it
    // does, because few calls cost their maximum. One that does not settle is a strike, and limited like
    // strikes.
    return { balance, allowance: payment.signedAmount * BigInt(limits.strikes - strikes) }
  }

  /**
   * Each call is a row before it checks, so of two concurrent calls at least one sees the other. A call
   * continues only when all rows together fit: younger calls give way at once, the oldest waits for that.
   */
  async function check(claim: Claim, payment: OfferedPayment, signal: AbortSignal): Promise<Problem | null> {
    // Content delivered before settlement may stay unpaid; a single payment is always admitted.
    const isUnsettled = (sum: AtomicUsdc) =>
      payment.scheme === 'upto' && sum > payment.signedAmount && sum > limits.unsettledUpto
    for (let looks = 1; ; looks += 1) {
      const standing = await look(claim, payment.payer)
      const { paidCalls, revertedAt } = standing
      credit.learn(payment.payer, { calls: paidCalls ?? 0, revertedAt })
      const barredUntil = credit.barredUntil(revertedAt)
      if (barredUntil > 0) return barred(barredUntil)
      if (standing.strikes >= limits.strikes) return struckOut(limits)
      // The facilitator's verification covers a single call.
      const cover = standing.rows === 1 ? UNBOUNDED : await readCover(payment, standing.strikes, signal)
      const held = BigInt(standing.held)
      const heldByPermit2 = BigInt(standing.heldByPermit2)
      const olderHeldByPermit2 = BigInt(standing.olderHeldByPermit2)
      const excess = findExcess(cover, held, heldByPermit2)
      const isTooMuch = isUnsettled(BigInt(standing.heldByUpto))
      if (standing.calls <= limits.callsPerPayer && !excess && !isTooMuch) return null
      if (standing.olderCalls > limits.callsPerPayer) return tooManyCalls(limits)
      if (isUnsettled(BigInt(standing.olderHeldByUpto))) return tooMuchUnsettled(limits)
      const olderExcess = findExcess(cover, BigInt(standing.olderHeld), olderHeldByPermit2)
      if (olderExcess) return olderExcess
      if (looks >= RETRIES.maxAttempts)
        return excess ?? (isTooMuch ? tooMuchUnsettled(limits) : tooManyCalls(limits))
      await wait(RETRIES.waitMs, undefined, { signal })
    }
  }

  return {
    check,
    strike: async (claim, payer, isFull) => {
      const count = isFull ? limits.strikes : 1
      const struckAt = clock().getTime()
      await state.db
        .insertInto('payment_strike')
        .values(
          Array.from({ length: count }, (_, at) => ({
            id: `${claim.token}/${at}`,
            payer,
            struck_at: struckAt,
          })),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    noteSettled: async (payment, amount) => {
      const { payer, scheme } = payment
      balances.take(payer, amount)
      if (isByPermit2(payment)) allowances.take(payer, amount)
      if (scheme === 'upto') await live.grow(payer, amount)
    },
    noteUnsettled: async ({ payer, scheme }) => {
      if (scheme === 'upto') await live.reset(payer)
    },
    liveAllowance: async (claim, { payer, signedAmount }) => {
      const allowance = await live.read(claim, payer)
      return allowance < signedAmount ? allowance : null
    },
    covers: async (payment, amount, signal) => {
      try {
        const { balance, allowance } = await readCover(payment, 0, signal)
        return findExcess({ balance, allowance }, amount, amount) === null
      } catch {
        // The allowance limits what may stay unpaid.
        return true
      }
    },
  }
}

/**
 * Parameters: four times the moment from which a call counts as older, the payer, since when strikes count,
 * the payer three times.
 */
function prepareStanding(state: State, kind: RowKind): PreparedRead<Standing> {
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

/** What a payer's open rows may cost in total, micro-USDC; null if unlimited. */
type Cover = { readonly balance: AtomicUsdc | null; readonly allowance: AtomicUsdc | null }

const UNBOUNDED: Cover = { balance: null, allowance: null }

function findExcess(cover: Cover, held: AtomicUsdc, heldByPermit2: AtomicUsdc): Problem | null {
  if (cover.balance !== null && held > cover.balance) return UNCOVERED
  return cover.allowance !== null && heldByPermit2 > cover.allowance ? UNALLOWED : null
}

function barred(untilMs: number): Problem {
  const until = new Date(untilMs).toISOString()
  return {
    code: 'wallet_barred',
    detail: `A settlement of this wallet reverted at the seller’s cost, so it is refused until ${until}. Pay from another wallet, or send the signed transfer to the chain yourself and repeat this request.`,
    members: { reason: 'wallet_barred', until },
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
    detail: `This wallet has ${limits.callsPerPayer} calls in progress. Wait until one has ended.`,
    retryAfterSeconds: 1,
  }
}

function tooMuchUnsettled(limits: ExposureLimits): Problem {
  return {
    code: 'rate_limited',
    detail: `This wallet has metered calls in progress that may cost more than ${formatUsd(limits.unsettledUpto)} dollars in total. Wait until one has settled.`,
    retryAfterSeconds: 1,
  }
}

const UNCOVERED: Problem = {
  code: 'payment_insufficient',
  detail: 'The wallet does not cover this payment in addition to those that are still open.',
  members: { reason: 'insufficient_funds' },
}

const UNALLOWED: Problem = {
  code: 'allowance_required',
  detail: 'Permit2 may not move the maximum of this payment in addition to those that are still open.',
  members: { reason: 'permit2_allowance_required' },
}
