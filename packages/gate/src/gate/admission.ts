import { withDeadline } from '@tollbook/flow/deadline'
import type { Logger } from '@tollbook/flow/logger'
import type { Problem } from '@tollbook/http/problem'
import { type RateLimiter, type RequestBudget, tooMany } from '@tollbook/http/request/rate-limit'
import type { SignatureChecker } from '../authorization/check-signature.ts'
import type { Exposure } from '../calls/exposure.ts'
import type { PayerCodes } from '../calls/payer-codes.ts'
import type { PayerCredit } from '../calls/payer-credit.ts'
import type { Lease } from '../calls/reservation.ts'
import type { PaidRoute } from '../contract/paid-route.ts'
import type { ChainReader, Facilitator, Verification } from '../facilitator.ts'
import { isByPermit2, type OfferedPayment } from '../payment.ts'
import { toQuietError } from '../quiet-error.ts'
import { type RefusalKind, reasonsOf } from '../reasons.ts'
import type { Vouchers } from './channels.ts'
import type { GasShare } from './gas-share.ts'
import type { RunningCall } from './paid-call.ts'

const VERIFY_MS = 10_000
/** Concurrent signature checks by contracts: they cost us calls, and the caller nothing. */
const MAX_CONTRACT_CHECKS = 8
/** Chosen: what such a check takes from the client's budget, as if it were a run; one token. */
const CONTRACT_CHECK_MS = 100

export type SignatureFinding = { readonly isKeySigned: boolean } | { readonly problem: Problem }

/** A reserved call, as far as its admission depends on it. */
export type AdmittedCall = Pick<RunningCall, 'lease' | 'payment' | 'budget'> & {
  readonly exchange: { readonly endpoint: Pick<PaidRoute, 'pricing'> }
}

/** Decides which payments may start a handler. */
export class Admission {
  readonly #checker: SignatureChecker
  readonly #facilitator: Pick<Facilitator, 'verify'>
  readonly #chainReader: Pick<ChainReader, 'hasCode'>
  readonly #exposure: Exposure
  readonly #payerCodes: PayerCodes
  readonly #credit: PayerCredit
  readonly #vouchers: Vouchers
  readonly #gasShare: GasShare
  readonly #payerLimiter: RateLimiter
  readonly #logger: Logger
  #contractChecks = 0

  constructor(parts: {
    readonly checker: SignatureChecker
    readonly facilitator: Pick<Facilitator, 'verify'>
    readonly chainReader: Pick<ChainReader, 'hasCode'>
    readonly exposure: Exposure
    readonly payerCodes: PayerCodes
    readonly credit: PayerCredit
    readonly vouchers: Vouchers
    readonly gasShare: GasShare
    readonly payerLimiter: RateLimiter
    readonly logger: Logger
  }) {
    this.#checker = parts.checker
    this.#facilitator = parts.facilitator
    this.#chainReader = parts.chainReader
    this.#exposure = parts.exposure
    this.#payerCodes = parts.payerCodes
    this.#credit = parts.credit
    this.#vouchers = parts.vouchers
    this.#gasShare = parts.gasShare
    this.#payerLimiter = parts.payerLimiter
    this.#logger = parts.logger
  }

  /**
   * Before the body is read: no I/O for signatures by keys. If only a contract could have signed, one cached
   * read finds out whether the payer has code; such reads are limited and charged to the budget. Without code
   * and without a deployment, the signature is invalid.
   */
  async checkSignature(payment: OfferedPayment, budget: RequestBudget): Promise<SignatureFinding> {
    const verdict = await this.#checker.checkSignature(payment)
    if (verdict === 'valid') return { isKeySigned: true }
    if (verdict === 'invalid') return badlySigned(payment)
    budget.addRun(CONTRACT_CHECK_MS)
    return this.#askChain(async (signal) => {
      const hasCode = await this.#chainReader.hasCode(payment.payer, signal)
      const finding = await this.#checker.checkSignature(payment, hasCode)
      return finding === 'invalid' ? badlySigned(payment) : { isKeySigned: finding === 'valid' }
    })
  }

  /** After validation of the arguments: whether the payer's contract accepts the signature. */
  async checkContract(payment: OfferedPayment, isKnown: () => Promise<boolean>): Promise<Problem | null> {
    const verified = await this.#askChain(async (signal) => {
      // A used authorization no longer verifies: its retry needs another proof.
      if (await isKnown()) return { problem: null }
      return { problem: toProblem(await this.#facilitator.verify(payment, signal)) }
    })
    return verified.problem
  }

  /**
   * After the reservation: whether the chain would settle the payment, and whether the payer's other open
   * calls leave room for it.
   */
  admit(call: AdmittedCall): Promise<Problem | null> {
    return this.#verify(call, call.lease)
  }

  /** The same without a reservation, as far as it depends on this payment alone. */
  preview(call: Omit<AdmittedCall, 'lease'>): Promise<Problem | null> {
    return this.#verify(call, null)
  }

  async #verify(
    { payment, budget, exchange }: Omit<AdmittedCall, 'lease'>,
    lease: Lease | null,
  ): Promise<Problem | null> {
    const { pricing } = exchange.endpoint
    // Permit2 uses the same gas under both schemes.
    const tooExpensive = this.#gasShare.problem(pricing, isByPermit2(payment) ? 'upto' : payment.scheme)
    if (tooExpensive) return tooExpensive
    if (!budget.isJoined) {
      // Only now: anyone may send a used payment, but only the payer an unused one.
      const ofPayer = this.#payerLimiter.open(payment.payer)
      if (ofPayer.waitSeconds > 0) return tooMany(ofPayer.waitSeconds)
      budget.join(ofPayer)
    }
    try {
      if (payment.channel) return await this.#vouchers.admit(payment)
      const [verification, excess] = await withDeadline(VERIFY_MS, (signal) =>
        Promise.all([
          this.#facilitator.verify(payment, signal),
          lease && this.#exposure.check(lease, payment, signal),
        ]),
      )
      const problem = excess ?? toProblem(verification)
      if (problem || !verification.isValid) return problem
      const { payerCode } = verification
      const tooMuchGas = payerCode ? this.#gasShare.payerProblem(pricing, payment, payerCode) : null
      if (tooMuchGas || !lease) return tooMuchGas
      if (payerCode) return await this.#payerCodes.hold(lease, payerCode)
      const needsHold = payment.permit && !this.#credit.isCovered(payment.payer)
      return needsHold ? await this.#payerCodes.holdPermit(lease) : null
    } catch (error) {
      this.#logger.warn({ err: toQuietError(error), call: lease?.id }, 'payment could not be verified')
      return UNVERIFIABLE
    }
  }

  /** Reads from the chain, limited in time and number. */
  async #askChain<Found>(
    act: (signal: AbortSignal) => Promise<Found>,
  ): Promise<Found | { readonly problem: Problem }> {
    if (this.#contractChecks >= MAX_CONTRACT_CHECKS) return { problem: tooMany(1) }
    this.#contractChecks += 1
    try {
      return await withDeadline(VERIFY_MS, act)
    } catch (error) {
      this.#logger.warn({ err: toQuietError(error) }, 'contract signature could not be checked')
      return { problem: UNVERIFIABLE }
    } finally {
      this.#contractChecks -= 1
    }
  }
}

function toProblem(verification: Verification): Problem | null {
  if (verification.isValid) return null
  const { reason, kind } = verification
  if (kind !== 'other') return { ...REFUSALS[kind], members: { reason } }
  return { code: 'payment_invalid', detail: `The payment was rejected: ${reason}.`, members: { reason } }
}

const REFUSALS = {
  allowance: {
    code: 'allowance_required',
    detail: 'Permit2 may not move USDC of this wallet yet: approve it, or sign its EIP-2612 permit.',
  },
  balance: { code: 'payment_insufficient', detail: 'The wallet does not hold the amount.' },
  lifetime: { code: 'payment_expired', detail: 'The authorization is outside its lifetime.' },
} as const satisfies Record<Exclude<RefusalKind, 'other'>, Problem>

function badlySigned(payment: OfferedPayment): SignatureFinding {
  const detail = 'The payment was rejected: its signature is not the payer’s.'
  const reason = payment.channel
    ? 'invalid_batch_settlement_evm_voucher_signature'
    : reasonsOf(payment).signature
  return { problem: { code: 'payment_invalid', detail, members: { reason } } }
}

const UNVERIFIABLE: Problem = {
  code: 'unavailable',
  detail: 'The payment cannot be verified right now. Nothing was charged.',
  retryAfterSeconds: 5,
}
