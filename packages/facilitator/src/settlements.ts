import { setTimeout as wait } from 'node:timers/promises'
import { formatUsd } from '@tollbook/chain/usdc'
import { createPaymentDigest } from '@tollbook/gate/authorization/check-signature'
import { checkLifetime } from '@tollbook/gate/authorization/lifetime'
import type { CallRow } from '@tollbook/gate/calls/call-row'
import type { CallRows } from '@tollbook/gate/calls/call-rows'
import type { KeyedHash } from '@tollbook/gate/calls/keyed-hash'
import type { Owner } from '@tollbook/gate/calls/owners'
import type { Recovery } from '@tollbook/gate/calls/recovery'
import { canRunAgain, type Lease, type Reservation } from '@tollbook/gate/calls/reservation'
import { FACILITATOR } from '@tollbook/gate/calls/row-kind'
import type { Settler } from '@tollbook/gate/calls/settler'
import type { Admission, AdmittedCall, SignatureFinding } from '@tollbook/gate/gate/admission'
import { type OfferedPayment, paymentKey } from '@tollbook/gate/payment'
import { reasonsOf } from '@tollbook/gate/reasons'
import type { Problem } from '@tollbook/http/problem'
import type { RequestBudget } from '@tollbook/http/request/rate-limit'
import type { Deliveries } from './deliveries.ts'
import { GAS_SPENT, type PayeeGas } from './payee-gas.ts'
import { isSelfPaid, type Policy, SELF_PAID } from './policy.ts'
import type { RequestedPayment } from './read-payment.ts'
import { reasonOf, type SettleResult, toPending, toSettled } from './settle-result.ts'

export type SettleRequest = {
  readonly budget: RequestBudget
  /** The seller's `Idempotency-Key`. */
  readonly key: string | null
  /** As in `Call`. */
  readonly whenWritten: () => Promise<boolean>
}

/** How often the row of a settlement under way is read. */
const LOOK_MS = { min: 20, max: 1_000 }
/** Stock servers give up after 30 seconds. */
const WAIT_MS = 20_000
/** The reason of x402 for a payment that is being settled (specs/schemes/exact/scheme_exact_svm.md at dd927a2). */
const DUPLICATE = 'duplicate_settlement'
/** Payments that were verified and not settled yet; their requests cost nothing once they settle. */
const MAX_VERIFIED = 10_000

/** Verifies and settles payments between others, each authorization once, on rows that survive a crash. */
export class Settlements {
  readonly #calls: CallRows
  readonly #owner: Owner
  readonly #keyedHash: KeyedHash
  readonly #settler: Settler
  readonly #recovery: Recovery
  readonly #admission: Admission
  readonly #lastAdmission: Admission
  readonly #deliveries: Deliveries
  readonly #payeeGas: PayeeGas
  readonly #policy: Policy
  readonly #closedProblem: () => Problem | null
  readonly #clock: () => Date
  readonly #waitMs: number
  readonly #digestOf = createPaymentDigest()
  readonly #verified = new Map<string, RequestBudget>()

  constructor(parts: {
    readonly calls: CallRows
    readonly owner: Owner
    readonly keyedHash: KeyedHash
    readonly settler: Settler
    readonly recovery: Recovery
    /** Of requests to verify, and of signatures. */
    readonly admission: Admission
    /** Right before a payment is settled. */
    readonly lastAdmission: Admission
    readonly deliveries: Deliveries
    readonly payeeGas: PayeeGas
    readonly policy: Policy
    /** Why nothing can be settled now, or null. */
    readonly closedProblem: () => Problem | null
    readonly clock: () => Date
    /** How long a request waits for its settlement, ms; default 20,000. */
    readonly waitMs: number | undefined
  }) {
    this.#calls = parts.calls
    this.#owner = parts.owner
    this.#keyedHash = parts.keyedHash
    this.#settler = parts.settler
    this.#recovery = parts.recovery
    this.#admission = parts.admission
    this.#lastAdmission = parts.lastAdmission
    this.#deliveries = parts.deliveries
    this.#payeeGas = parts.payeeGas
    this.#policy = parts.policy
    this.#closedProblem = parts.closedProblem
    this.#clock = parts.clock
    this.#waitMs = parts.waitMs ?? WAIT_MS
  }

  /** Why a payment would not be settled now, or null. */
  async verify(requested: RequestedPayment, budget: RequestBudget): Promise<Problem | null> {
    const problem = await this.#findRefusal(requested, budget)
    if (problem) budget.end()
    else this.#remember(this.#idOf(requested.payment), budget)
    return problem
  }

  /**
   * Settles a payment. Its success is for one request, and for those with the same key; it is for the next one if
   * the answer was not written to its end, or its process died. A settlement that takes longer than the wait goes
   * on, and repeating the request returns its outcome.
   */
  async settle(
    requested: RequestedPayment,
    { budget, key, whenWritten }: SettleRequest,
  ): Promise<SettleResult> {
    const { payment, amount } = requested
    if (amount === 0n) {
      // "Zero Settlement" of specs/schemes/upto/scheme_upto_evm.md: the authorization stays unused.
      const problem = await this.#findRefusal(requested, budget)
      return problem ? { outcome: 'refused', problem } : { outcome: 'settled', amount, transaction: null }
    }
    const signed = await this.#checkSignature(payment, budget)
    if ('problem' in signed) return { outcome: 'refused', problem: signed.problem }
    const fingerprint = this.#fingerprintOf(payment, signed.isKeySigned)
    const reservation = toReservation(this.#idOf(payment), fingerprint, requested)
    const result = await this.#deliveries.once(
      { id: reservation.id, key, validBefore: payment.validBefore, whenWritten },
      () => this.#followInTime(reservation, requested, budget),
      ({ outcome }) => outcome === 'settled',
    )
    if (result === 'open') return { outcome: 'failed', reason: DUPLICATE }
    return result === 'delivered' ? { outcome: 'failed', reason: reasonsOf(payment).used } : result
  }

  async #findRefusal(requested: RequestedPayment, budget: RequestBudget): Promise<Problem | null> {
    const issue = this.#findIssue(requested)
    const signed = issue ? { problem: issue } : await this.#checkSignature(requested.payment, budget)
    if ('problem' in signed) return signed.problem
    return (await this.#findObstacle(requested)) ?? this.#admission.preview(toAdmitted(requested, budget))
  }

  /** Without I/O. */
  #findIssue({ payment }: RequestedPayment): Problem | null {
    const closed = this.#closedProblem() ?? this.#policy.findProblem(payment)
    if (closed) return closed
    if (isSelfPaid(payment)) return SELF_PAID
    return checkLifetime(payment, Math.floor(this.#clock().getTime() / 1000))
  }

  async #findObstacle(requested: RequestedPayment): Promise<Problem | null> {
    const issue = this.#findIssue(requested)
    if (issue) return issue
    return (await this.#payeeGas.isSpent(requested.payment.payTo)) ? GAS_SPENT : null
  }

  /** No I/O for signatures by keys; those of contracts are read from the chain, limited in number. */
  async #checkSignature(payment: OfferedPayment, budget: RequestBudget): Promise<SignatureFinding> {
    const signed = await this.#admission.checkSignature(payment, budget)
    if ('problem' in signed || signed.isKeySigned) return signed
    const isKnown = async () => (await this.#calls.find(this.#idOf(payment))) !== null
    const problem = await this.#admission.checkContract(payment, isKnown)
    return problem ? { problem } : signed
  }

  /** Waits for the outcome, as long as a request may take. */
  async #followInTime(
    reservation: Reservation,
    requested: RequestedPayment,
    budget: RequestBudget,
  ): Promise<SettleResult> {
    const settling = this.#follow(reservation, requested, budget)
    // An AbortController would cost several times as much.
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(() => late.resolve(null), this.#waitMs).unref()
    const result = await Promise.race([settling, late.promise]).finally(() => clearTimeout(timer))
    if (result) return result
    settling.catch(() => {})
    return toPending(await this.#calls.find(reservation.id))
  }

  async #follow(
    reservation: Reservation,
    requested: RequestedPayment,
    budget: RequestBudget,
  ): Promise<SettleResult> {
    const calls = this.#calls
    const endsAt = this.#clock().getTime() + this.#waitMs
    const obstacle = await this.#findObstacle(requested)
    const lease = obstacle ? null : await calls.reserve(reservation)
    if (lease) return this.#run(lease, requested, budget)
    for (let pauseMs = LOOK_MS.min; ; pauseMs = Math.min(2 * pauseMs, LOOK_MS.max)) {
      const row = await calls.find(reservation.id)
      if (!row && obstacle) return { outcome: 'refused', problem: obstacle }
      const result = row
        ? await this.#resume(row, reservation, { requested, budget })
        : await calls.reserve(reservation).then((again) => again && this.#run(again, requested, budget))
      if (result && result.outcome !== 'pending') return result
      if (this.#clock().getTime() >= endsAt) return toPending(row)
      await wait(pauseMs)
    }
  }

  /** The outcome that a row shows, a run of it, or null if it has to be read again later. */
  async #resume(
    row: CallRow,
    reservation: Reservation,
    attempt: { readonly requested: RequestedPayment; readonly budget: RequestBudget },
  ): Promise<SettleResult | null> {
    const calls = this.#calls
    // The payer signed the same nonce twice: the chain accepts one of them.
    if (row.state !== 'released' && row.fingerprint !== reservation.fingerprint)
      return { outcome: 'failed', reason: reasonsOf(reservation.payment).used }
    if (row.state === 'settled') return toSettled(row)
    if (row.isWorkedOn) return null
    if (row.state !== 'released' && row.state !== 'delivered') {
      await this.#recovery.reconcile(row, true)
      return null
    }
    const obstacle = await this.#findObstacle(attempt.requested)
    if (obstacle) return { outcome: 'refused', problem: obstacle }
    if (row.state === 'released' && !canRunAgain(row, reservation))
      return { outcome: 'failed', reason: row.reason ?? 'authorization_spent' }
    const lease = await (row.state === 'released' ? calls.reserveAgain(row, reservation) : calls.take(row))
    // A delivered row may have been requested with another charge before.
    const amount = BigInt(
      row.state === 'delivered' && row.charge !== null ? row.charge : attempt.requested.amount,
    )
    return lease && this.#run(lease, { ...attempt.requested, amount }, attempt.budget)
  }

  /** Settles under a lease; if it is refused, the authorization stays unused. */
  async #run(lease: Lease, requested: RequestedPayment, budget: RequestBudget): Promise<SettleResult> {
    const { payment, amount } = requested
    try {
      const problem = await this.#lastAdmission.admit({ ...toAdmitted(requested, budget), lease })
      if (problem) {
        await this.#calls.release(lease, reasonOf(problem), false)
        return { outcome: 'refused', problem }
      }
      const settlement = await this.#settler.settle({
        service: FACILITATOR,
        endpoint: 'settle',
        lease,
        payment,
        charge: amount,
        settledState: 'settled',
        keepsOwner: false,
      })
      if (settlement.outcome === 'unknown') return { outcome: 'pending', transaction: settlement.transaction }
      if (settlement.outcome === 'settled') {
        budget.giveBack()
        this.#verified.get(lease.id)?.giveBack()
        this.#verified.delete(lease.id)
      }
      return settlement
    } finally {
      this.#owner.release(lease.token)
    }
  }

  #idOf(payment: OfferedPayment): string {
    return this.#keyedHash(FACILITATOR, paymentKey(payment))
  }

  /** The same for everything that the payer signed; of a contract, whose signature is checked once, for its bytes. */
  #fingerprintOf(payment: OfferedPayment, isKeySigned: boolean): string {
    const signed = this.#digestOf(payment).toString('hex')
    return this.#keyedHash('signed message', isKeySigned ? signed : `${signed} ${payment.signature}`)
  }

  /** Its budget is closed once the payment is settled, or once many others were verified since. */
  #remember(id: string, budget: RequestBudget): void {
    const verified = this.#verified
    verified.get(id)?.end()
    verified.set(id, budget)
    const [oldest] = verified
    if (verified.size <= MAX_VERIFIED || !oldest) return
    verified.delete(oldest[0])
    oldest[1].end()
  }
}

const FREE = { kind: 'free' } as const

/** What admission needs: the seller earns the amount, which has to justify the gas. */
function toAdmitted(
  { payment, amount }: RequestedPayment,
  budget: RequestBudget,
): Omit<AdmittedCall, 'lease'> {
  // A charge of nothing is not sent.
  const pricing = amount === 0n ? FREE : ({ kind: 'exact', priceUsd: formatUsd(amount) } as const)
  return { payment, budget, exchange: { endpoint: { pricing } } }
}

function toReservation(id: string, fingerprint: string, { payment, amount }: RequestedPayment): Reservation {
  return {
    id,
    payment,
    identifier: null,
    service: FACILITATOR,
    endpoint: 'settle',
    scope: 'public',
    fingerprint,
    charge: amount,
  }
}
