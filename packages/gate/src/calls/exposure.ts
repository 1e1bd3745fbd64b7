import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Problem } from '@tollbook/http/problem'
import type { PreparedRead } from '@tollbook/store/prepared-read'
import type { ChainReader } from '../facilitator.ts'
import { isByPermit2, type OfferedPayment } from '../payment.ts'
import type { State } from '../state/state.ts'
import {
  barred,
  type ExposureLimits,
  struckOut,
  tooManyCalls,
  tooMuchUnsettled,
  UNALLOWED,
  UNCOVERED,
} from './exposure-problems.ts'
import { createLiveAllowance, type LiveAllowance } from './live-allowance.ts'
import type { PayerCredit } from './payer-credit.ts'
import type { Lease } from './reservation.ts'
import type { RowKind } from './row-kind.ts'
import { prepareStanding, type Standing } from './standing.ts'
import { createWalletReading, type WalletReading } from './wallet-reading.ts'

/** How often and how long apart the oldest of several calls waits for the younger ones to give way. */
const RETRIES = { maxAttempts: 5, waitMs: 10 }

/** Limits what one payer may owe, run and break, across all processes, because all of it is in rows. */
export class Exposure {
  readonly #state: State
  readonly #credit: PayerCredit
  readonly #limits: ExposureLimits
  readonly #clock: () => Date
  readonly #readStanding: PreparedRead<Standing>
  readonly #balances: WalletReading
  readonly #allowances: WalletReading
  readonly #live: LiveAllowance

  constructor(parts: {
    readonly state: State
    readonly chainReader: Pick<ChainReader, 'balanceOf' | 'allowanceOf'>
    readonly credit: PayerCredit
    readonly limits: ExposureLimits
    readonly clock: () => Date
    /** Whose rows count; default sales. A call sold here may also be a row of our own facilitator service. */
    readonly kind?: RowKind | undefined
  }) {
    const { state, chainReader, limits, clock, kind = 'sales' } = parts
    this.#state = state
    this.#credit = parts.credit
    this.#limits = limits
    this.#clock = clock
    this.#readStanding = prepareStanding(state, kind)
    this.#balances = createWalletReading((wallet, signal) => chainReader.balanceOf(wallet, signal), clock)
    this.#allowances = createWalletReading((wallet, signal) => chainReader.allowanceOf(wallet, signal), clock)
    this.#live = createLiveAllowance({ state, clock, maxAllowance: limits.unsettledUpto })
  }

  /**
   * Checks a call that was just reserved; returns why it may not run, or null. Each call is a row before it checks, so
   * of two concurrent calls at least one sees the other. A call continues only when all rows together fit: younger
   * calls give way at once, the oldest waits for that.
   */
  async check(lease: Lease, payment: OfferedPayment, signal: AbortSignal): Promise<Problem | null> {
    const limits = this.#limits
    // Content delivered before settlement may stay unpaid; a single payment is always admitted.
    const isUnsettled = (sum: AtomicUsdc) =>
      payment.scheme === 'upto' && sum > payment.signedAmount && sum > limits.unsettledUpto
    for (let looks = 1; ; looks += 1) {
      const standing = await this.#look(lease, payment.payer)
      const { paidCalls, revertedAt } = standing
      this.#credit.learn(payment.payer, { calls: paidCalls ?? 0, revertedAt })
      const barredUntil = this.#credit.barredUntil(revertedAt)
      if (barredUntil > 0) return barred(barredUntil)
      if (standing.strikes >= limits.strikes) return struckOut(limits)
      // The facilitator's verification covers a single call.
      const cover = standing.rows === 1 ? UNBOUNDED : await this.#readCover(payment, standing.strikes, signal)
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

  /**
   * Records that a payment failed to settle after its handler ran, because of the payer.
   * @param isFull whether this alone counts as all strikes, so that the payer is refused from now on.
   */
  async strike(lease: Lease, payer: Address, isFull: boolean): Promise<void> {
    const count = isFull ? this.#limits.strikes : 1
    const struckAt = this.#clock().getTime()
    const strikes = Array.from({ length: count }, (_, at) => ({
      id: `${lease.token}/${at}`,
      payer,
      struck_at: struckAt,
    }))
    await this.#state.db
      .insertInto('payment_strike')
      .values(strikes)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }

  async noteSettled(payment: OfferedPayment, amount: AtomicUsdc): Promise<void> {
    const { payer, scheme } = payment
    this.#balances.take(payer, amount)
    if (isByPermit2(payment)) this.#allowances.take(payer, amount)
    if (scheme === 'upto') await this.#live.grow(payer, amount)
  }

  /** Records that a payment did not settle after its answer was sent. */
  async noteUnsettled({ payer, scheme }: OfferedPayment): Promise<void> {
    if (scheme === 'upto') await this.#live.reset(payer)
  }

  /** Micro-USDC of a live metered answer that may be sent before it settles; null: everything that was signed. */
  async liveAllowance(lease: Lease, { payer, signedAmount }: OfferedPayment): Promise<AtomicUsdc | null> {
    const allowance = await this.#live.read(lease, payer)
    return allowance < signedAmount ? allowance : null
  }

  /** Whether the wallet still holds an amount and Permit2 may move it; true if the chain cannot be read. */
  async covers(payment: OfferedPayment, amount: AtomicUsdc, signal: AbortSignal): Promise<boolean> {
    try {
      return findExcess(await this.#readCover(payment, 0, signal), amount, amount) === null
    } catch {
      // The allowance limits what may stay unpaid.
      return true
    }
  }

  async #look(lease: Lease, payer: Address): Promise<Standing> {
    const since = this.#clock().getTime() - this.#limits.strikeMs
    const older = Array<number>(4).fill(lease.reservedAt)
    const [row] = await this.#readStanding([...older, payer, since, payer, payer, payer])
    if (!row) throw new Error('aggregate query returned no row')
    return row
  }

  /** What all open rows of the payer together may cost. */
  async #readCover(payment: OfferedPayment, strikes: number, signal: AbortSignal): Promise<Cover> {
    const [balance, allowance] = await Promise.all([
      this.#balances.read(payment.payer, signal),
      isByPermit2(payment) && !payment.permit ? this.#allowances.read(payment.payer, signal) : null,
    ])
    if (!payment.permit) return { balance, allowance }
    // The token accepts one of several concurrent permits, whose maximum has to cover all calls; usually it
    // does, because few calls cost their maximum. One that does not settle is a strike, and limited like
    // strikes.
    return { balance, allowance: payment.signedAmount * BigInt(this.#limits.strikes - strikes) }
  }
}

/** What a payer's open rows may cost in total, micro-USDC; null if unlimited. */
type Cover = { readonly balance: AtomicUsdc | null; readonly allowance: AtomicUsdc | null }

const UNBOUNDED: Cover = { balance: null, allowance: null }

function findExcess(cover: Cover, held: AtomicUsdc, heldByPermit2: AtomicUsdc): Problem | null {
  if (cover.balance !== null && held > cover.balance) return UNCOVERED
  return cover.allowance !== null && heldByPermit2 > cover.allowance ? UNALLOWED : null
}
