import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from '../chain/hex.ts'
import type { Problem } from '../http/problem.ts'
import type { RequestBudget } from '../http/request/rate-limit.ts'
import { formatUsd } from '../money/usdc.ts'
import { createPaymentDigest } from '../payments/authorization/check-signature.ts'
import { checkLifetime } from '../payments/authorization/lifetime.ts'
import type { Settlement } from '../payments/facilitator.ts'
import type { Admission, AdmittedCall, SignatureFinding } from '../payments/gate/admission.ts'
import type { Ledger } from '../payments/gate/open-ledger.ts'
import type { CallRow } from '../payments/ledger/call-row.ts'
import { type Claim, canRunAgain, type Reservation } from '../payments/ledger/reservation.ts'
import { FACILITATOR } from '../payments/ledger/row-kind.ts'
import { type OfferedPayment, paymentKey } from '../payments/payment.ts'
import { reasonsOf } from '../payments/reasons.ts'
import type { Deliveries } from './deliveries.ts'
import { GAS_SPENT, type PayeeGas } from './payee-gas.ts'
import { isSelfPaid, type Policy, SELF_PAID } from './policy.ts'
import type { RequestedPayment } from './read-payment.ts'

/** What became of a settlement: its outcome, that it is still open, or why it was refused. */
export type SettleResult =
  | Pick<Extract<Settlement, { outcome: 'settled' }>, 'outcome' | 'transaction' | 'amount'>
  | { readonly outcome: 'failed'; readonly reason: string }
  | { readonly outcome: 'pending'; readonly transaction: Hex | null }
  | { readonly outcome: 'refused'; readonly problem: Problem }

/** Verifies and settles payments between others, each authorization once, on rows that survive a crash. */
export type Settlements = {
  /** Why a payment would not be settled now, or null. */
  verify(requested: RequestedPayment, budget: RequestBudget): Promise<Problem | null>
  /**
   * Settles a payment. Its success is for one request, and for those with the same key; it is for the next one if
   * the answer was not written to its end, or its process died. A settlement that takes longer than the wait goes
   * on, and repeating the request returns its outcome.
   */
  settle(requested: RequestedPayment, request: SettleRequest): Promise<SettleResult>
}

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
export const DUPLICATE = 'duplicate_settlement'
/** Payments that were verified and not settled yet; their requests cost nothing once they settle. */
const MAX_VERIFIED = 10_000

export function createSettlements(parts: {
  readonly ledger: Ledger
  readonly admission: Admission
  readonly deliveries: Deliveries
  readonly payeeGas: PayeeGas
  readonly policy: Policy
  /** Why nothing can be settled now, or null. */
  readonly closedProblem: () => Problem | null
  readonly clock: () => Date
  readonly waitMs?: number
}): Settlements {
  const { ledger, admission, deliveries, payeeGas, policy, closedProblem, clock, waitMs = WAIT_MS } = parts
  const { calls, keyedHash, owner, recovery, settler } = ledger
  const verified = new Map<string, RequestBudget>()
  const digestOf = createPaymentDigest()

  const idOf = (payment: OfferedPayment) => keyedHash(FACILITATOR, paymentKey(payment))

  /** Without I/O. */
  function findIssue({ payment }: RequestedPayment): Problem | null {
    const issue = closedProblem() ?? policy.findProblem(payment) ?? (isSelfPaid(payment) ? SELF_PAID : null)
    return issue ?? checkLifetime(payment, Math.floor(clock().getTime() / 1000))
  }

  async function findObstacle(requested: RequestedPayment): Promise<Problem | null> {
    const issue = findIssue(requested)
    if (issue) return issue
    return (await payeeGas.isSpent(requested.payment.payTo)) ? GAS_SPENT : null
  }

  /** No I/O for signatures by keys; those of contracts are read from the chain, limited in number. */
  async function checkSignature(payment: OfferedPayment, budget: RequestBudget): Promise<SignatureFinding> {
    const signed = await admission.checkSignature(payment, budget)
    if ('problem' in signed || signed.isKeySigned) return signed
    const isKnown = async () => (await calls.find(idOf(payment))) !== null
    const problem = await admission.checkContract(payment, isKnown)
    return problem ? { problem } : signed
  }

  /** The same for everything that the payer signed; of a contract, whose signature is checked once, for its bytes. */
  function fingerprintOf(payment: OfferedPayment, isKeySigned: boolean): string {
    const signed = digestOf(payment).toString('hex')
    return keyedHash('signed message', isKeySigned ? signed : `${signed} ${payment.signature}`)
  }

  function remember(id: string, budget: RequestBudget): void {
    verified.get(id)?.end()
    verified.set(id, budget)
    const [oldest] = verified
    if (verified.size <= MAX_VERIFIED || !oldest) return
    verified.delete(oldest[0])
    oldest[1].end()
  }

  /** Settles under a claim; if it is refused, the authorization stays unused. */
  async function run(
    claim: Claim,
    requested: RequestedPayment,
    budget: RequestBudget,
  ): Promise<SettleResult> {
    const { payment, amount } = requested
    try {
      const problem = await admission.admit({ ...toAdmitted(requested, budget), claim })
      if (problem) {
        await calls.release(claim, reasonOf(problem), false)
        return { outcome: 'refused', problem }
      }
      const settlement = await settler.settle({
        service: FACILITATOR,
        endpoint: 'settle',
        claim,
        payment,
        charge: amount,
        settledState: 'settled',
        keepsOwner: false,
      })
      if (settlement.outcome === 'unknown') return { outcome: 'pending', transaction: settlement.transaction }
      if (settlement.outcome === 'settled') {
        budget.giveBack()
        verified.get(claim.id)?.giveBack()
        verified.delete(claim.id)
      }
      return settlement
    } finally {
      owner.release(claim.token)
    }
  }

  /** The outcome that a row shows, a run of it, or null if it has to be read again later. */
  async function resume(
    row: CallRow,
    reservation: Reservation,
    attempt: { readonly requested: RequestedPayment; readonly budget: RequestBudget },
  ): Promise<SettleResult | null> {
    // The payer signed the same nonce twice: the chain accepts one of them.
    if (row.state !== 'released' && row.fingerprint !== reservation.fingerprint)
      return { outcome: 'failed', reason: reasonsOf(reservation.payment).used }
    if (row.state === 'settled') return toSettled(row)
    if (row.isWorkedOn) return null
    if (row.state !== 'released' && row.state !== 'delivered') {
      await recovery.reconcile(row, true)
      return null
    }
    const obstacle = await findObstacle(attempt.requested)
    if (obstacle) return { outcome: 'refused', problem: obstacle }
    if (row.state === 'released' && !canRunAgain(row, reservation))
      return { outcome: 'failed', reason: row.reason ?? 'authorization_spent' }
    const claim = await (row.state === 'released' ? calls.reserveAgain(row, reservation) : calls.take(row))
    // A delivered row may have been requested with another charge before.
    const amount = BigInt(
      row.state === 'delivered' && row.charge !== null ? row.charge : attempt.requested.amount,
    )
    return claim && run(claim, { ...attempt.requested, amount }, attempt.budget)
  }

  async function follow(
    reservation: Reservation,
    requested: RequestedPayment,
    budget: RequestBudget,
  ): Promise<SettleResult> {
    const endsAt = clock().getTime() + waitMs
    const obstacle = await findObstacle(requested)
    const claim = obstacle ? null : await calls.reserve(reservation)
    if (claim) return run(claim, requested, budget)
    for (let pauseMs = LOOK_MS.min; ; pauseMs = Math.min(2 * pauseMs, LOOK_MS.max)) {
      const row = await calls.find(reservation.id)
      if (!row && obstacle) return { outcome: 'refused', problem: obstacle }
      const result = row
        ? await resume(row, reservation, { requested, budget })
        : await calls.reserve(reservation).then((again) => again && run(again, requested, budget))
      if (result && result.outcome !== 'pending') return result
      if (clock().getTime() >= endsAt)
        return { outcome: 'pending', transaction: (row?.tx_hash ?? null) as Hex | null }
      await wait(pauseMs)
    }
  }

  /** Waits for the outcome, as long as a request may take. */
  async function followInTime(
    reservation: Reservation,
    requested: RequestedPayment,
    budget: RequestBudget,
  ): Promise<SettleResult> {
    const settling = follow(reservation, requested, budget)
    // An AbortController would cost several times as much.
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(() => late.resolve(null), waitMs).unref()
    const result = await Promise.race([settling, late.promise]).finally(() => clearTimeout(timer))
    if (result) return result
    settling.catch(() => {})
    const row = await calls.find(reservation.id)
    return { outcome: 'pending', transaction: (row?.tx_hash ?? null) as Hex | null }
  }

  async function verify(requested: RequestedPayment, budget: RequestBudget): Promise<Problem | null> {
    const issue = findIssue(requested)
    const signed = issue ? { problem: issue } : await checkSignature(requested.payment, budget)
    if ('problem' in signed) return signed.problem
    return (await findObstacle(requested)) ?? admission.preview(toAdmitted(requested, budget))
  }

  return {
    verify: async (requested, budget) => {
      const problem = await verify(requested, budget)
      if (problem) budget.end()
      else remember(idOf(requested.payment), budget)
      return problem
    },
    settle: async (requested, { budget, key, whenWritten }) => {
      const { payment, amount } = requested
      if (amount === 0n) {
        // "Zero Settlement" of specs/schemes/upto/scheme_upto_evm.md: the authorization stays unused.
        const problem = await verify(requested, budget)
        return problem ? { outcome: 'refused', problem } : { outcome: 'settled', amount, transaction: null }
      }
      const signed = await checkSignature(payment, budget)
      if ('problem' in signed) return { outcome: 'refused', problem: signed.problem }
      const fingerprint = fingerprintOf(payment, signed.isKeySigned)
      const reservation = toReservation(idOf(payment), fingerprint, requested)
      const result = await deliveries.once(
        { id: reservation.id, key, validBefore: payment.validBefore, whenWritten },
        () => followInTime(reservation, requested, budget),
        ({ outcome }) => outcome === 'settled',
      )
      if (result === 'open') return { outcome: 'failed', reason: DUPLICATE }
      return result === 'delivered' ? { outcome: 'failed', reason: reasonsOf(payment).used } : result
    },
  }
}

const FREE = { kind: 'free' } as const

/** What admission needs: the seller earns the amount, which has to justify the gas. */
function toAdmitted(
  { payment, amount }: RequestedPayment,
  budget: RequestBudget,
): Omit<AdmittedCall, 'claim'> {
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

function toSettled(row: CallRow): SettleResult {
  return {
    outcome: 'settled',
    transaction: row.tx_hash as Hex,
    amount: BigInt(row.charge ?? row.signed_amount),
  }
}

/** The x402 code of a problem. */
export function reasonOf({ code, members }: Problem): string {
  return typeof members?.reason === 'string' ? members.reason : code
}
