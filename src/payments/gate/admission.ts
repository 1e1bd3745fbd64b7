import type { Logger } from 'pino'
import type { Endpoint } from '../../catalogue/endpoint.ts'
import { withDeadline } from '../../flow/deadline.ts'
import type { Problem } from '../../http/problem.ts'
import { type RateLimiter, type RequestBudget, tooMany } from '../../http/request/rate-limit.ts'
import type { SignatureChecker } from '../authorization/check-signature.ts'
import type { Channels } from '../channels/open-channels.ts'
import type { ChainReader, Facilitator, Verification } from '../facilitator.ts'
import type { Exposure } from '../ledger/exposure.ts'
import type { PayerCodes } from '../ledger/payer-codes.ts'
import type { PayerCredit } from '../ledger/payer-credit.ts'
import type { Claim } from '../ledger/reservation.ts'
import { isByPermit2, type OfferedPayment } from '../payment.ts'
import { toQuietError } from '../quiet-error.ts'
import { type RefusalKind, reasonsOf } from '../reasons.ts'
import type { GasShare } from './gas-share.ts'
import type { RunningCall } from './paid-call.ts'

const VERIFY_MS = 10_000
/** Concurrent signature checks by contracts: they cost us calls, and the caller nothing. */
const MAX_CONTRACT_CHECKS = 8
/** Chosen: what such a check takes from the client's budget, as if it were a run; one token. */
const CONTRACT_CHECK_MS = 100

export type SignatureFinding = { readonly isKeySigned: boolean } | { readonly problem: Problem }

/** A reserved call, as far as its admission depends on it. */
export type AdmittedCall = Pick<RunningCall, 'claim' | 'payment' | 'budget'> & {
  readonly exchange: { readonly endpoint: Pick<Endpoint, 'pricing'> }
}

/** Decides which payments may start a handler. */
export interface Admission {
  /**
   * Before the body is read: no I/O for signatures by keys. If only a contract could have signed, one cached
   * read finds out whether the payer has code; such reads are limited and charged to the budget. Without code
   * and without a deployment, the signature is invalid.
   */
  checkSignature(payment: OfferedPayment, budget: RequestBudget): Promise<SignatureFinding>
  /** After validation of the arguments: whether the payer's contract accepts the signature. */
  checkContract(payment: OfferedPayment, isKnown: () => Promise<boolean>): Promise<Problem | null>
  /**
   * After the reservation: whether the chain would settle the payment, and whether the payer's other open
   * calls leave room for it.
   */
  admit(call: AdmittedCall): Promise<Problem | null>
  /** The same without a reservation, as far as it depends on this payment alone. */
  preview(call: Omit<AdmittedCall, 'claim'>): Promise<Problem | null>
}

export function createAdmission(parts: {
  readonly checker: SignatureChecker
  readonly facilitator: Facilitator
  readonly chainReader: ChainReader
  readonly exposure: Exposure
  readonly payerCodes: PayerCodes
  readonly credit: PayerCredit
  readonly channels: Pick<Channels, 'vouchers'>
  readonly gasShare: GasShare
  readonly payerLimiter: RateLimiter
  readonly logger: Logger
}): Admission {
  const { checker, facilitator, chainReader, exposure, payerCodes, credit, channels } = parts
  const { gasShare, payerLimiter, logger } = parts
  let contractChecks = 0

  async function verify(
    { payment, budget, exchange }: Omit<AdmittedCall, 'claim'>,
    claim: Claim | null,
  ): Promise<Problem | null> {
    const { pricing } = exchange.endpoint
    // Permit2 uses the same gas under both schemes.
    const tooExpensive = gasShare.problem(pricing, isByPermit2(payment) ? 'upto' : payment.scheme)
    if (tooExpensive) return tooExpensive
    if (!budget.isJoined) {
      // Only now: anyone may send a used payment, but only the payer an unused one.
      const ofPayer = payerLimiter.open(payment.payer)
      if (ofPayer.waitSeconds > 0) return tooMany(ofPayer.waitSeconds)
      budget.join(ofPayer)
    }
    try {
      if (payment.channel) return await channels.vouchers.admit(payment)
      const [verification, excess] = await withDeadline(VERIFY_MS, (signal) =>
        Promise.all([facilitator.verify(payment, signal), claim && exposure.check(claim, payment, signal)]),
      )
      const problem = excess ?? toProblem(verification)
      if (problem || !verification.isValid) return problem
      const { payerCode } = verification
      const tooMuchGas = payerCode ? gasShare.payerProblem(pricing, payment, payerCode) : null
      if (tooMuchGas || !claim) return tooMuchGas
      if (payerCode) return await payerCodes.hold(claim, payerCode)
      return payment.permit && !credit.isCovered(payment.payer) ? await payerCodes.holdPermit(claim) : null
    } catch (error) {
      logger.warn({ err: toQuietError(error), call: claim?.id }, 'payment could not be verified')
      return UNVERIFIABLE
    }
  }

  /** Reads from the chain, limited in time and number. */
  async function askChain<Found>(
    act: (signal: AbortSignal) => Promise<Found>,
  ): Promise<Found | { readonly problem: Problem }> {
    if (contractChecks >= MAX_CONTRACT_CHECKS) return { problem: tooMany(1) }
    contractChecks += 1
    try {
      return await withDeadline(VERIFY_MS, act)
    } catch (error) {
      logger.warn({ err: toQuietError(error) }, 'contract signature could not be checked')
      return { problem: UNVERIFIABLE }
    } finally {
      contractChecks -= 1
    }
  }

  return {
    checkSignature: async (payment, budget) => {
      const verdict = await checker.checkSignature(payment)
      if (verdict === 'valid') return { isKeySigned: true }
      if (verdict === 'invalid') return badlySigned(payment)
      budget.addRun(CONTRACT_CHECK_MS)
      return askChain(async (signal) => {
        const hasCode = await chainReader.hasCode(payment.payer, signal)
        const finding = await checker.checkSignature(payment, hasCode)
        return finding === 'invalid' ? badlySigned(payment) : { isKeySigned: finding === 'valid' }
      })
    },
    checkContract: async (payment, isKnown) => {
      const verified = await askChain(async (signal) => {
        // A used authorization no longer verifies: its retry needs another proof.
        if (await isKnown()) return { problem: null }
        return { problem: toProblem(await facilitator.verify(payment, signal)) }
      })
      return verified.problem
    },
    admit: (call) => verify(call, call.claim),
    preview: (call) => verify(call, null),
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
