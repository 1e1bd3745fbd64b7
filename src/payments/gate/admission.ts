import type { Logger } from 'pino'
import type { Problem } from '../../catalogue/problem.ts'
import { withDeadline } from '../../fetching/deadline.ts'
import type { SignatureChecker } from '../authorization/check-signature.ts'
import type { ChainReader, Facilitator, Verification } from '../facilitator.ts'
import type { Exposure } from '../ledger/exposure.ts'
import type { OfferedPayment } from '../payment.ts'
import { toQuietError } from '../quiet-error.ts'
import type { UnpaidLimiter } from './gate-options.ts'
import type { RunningCall } from './paid-call.ts'

const VERIFY_MS = 10_000
/** Signatures of contracts that are being asked about at once: they cost us calls, and the caller nothing. */
const MOST_CONTRACT_CHECKS = 8

export type SignatureFinding = { readonly isKeySigned: boolean } | { readonly problem: Problem }

/** Decides whose payment may start a handler. */
export interface Admission {
  /** Before the ledger is touched: without I/O for keys, bounded and counted for contracts. */
  checkSignature(
    payment: OfferedPayment,
    clientAddress: string,
    isKnown: () => Promise<boolean>,
  ): Promise<SignatureFinding>
  /** After the reservation: whether the chain would settle it, and what else the payer has open. */
  admit(call: RunningCall): Promise<Problem | null>
}

export function createAdmission(parts: {
  readonly checker: SignatureChecker
  readonly facilitator: Facilitator
  readonly chainReader: ChainReader
  readonly exposure: Exposure
  readonly limiter: UnpaidLimiter
  readonly logger: Logger
}): Admission {
  const { checker, facilitator, chainReader, exposure, limiter, logger } = parts
  let contractChecks = 0

  async function askChain(
    payment: OfferedPayment,
    isKnown: () => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<SignatureFinding> {
    const hasCode = await chainReader.hasCode(payment.payer, signal)
    const verdict = await checker.checkSignature(payment, hasCode)
    if (verdict !== 'needs-chain') return verdict === 'valid' ? { isKeySigned: true } : BADLY_SIGNED
    // Once used, an authorization verifies no more: its repetition needs another proof.
    if (await isKnown()) return { isKeySigned: false }
    const problem = toProblem(await facilitator.verify(payment, signal))
    return problem ? { problem } : { isKeySigned: false }
  }

  return {
    checkSignature: async (payment, clientAddress, isKnown) => {
      const verdict = await checker.checkSignature(payment)
      if (verdict === 'valid') return { isKeySigned: true }
      if (verdict === 'invalid') return BADLY_SIGNED
      const waitSeconds = limiter.take(clientAddress)
      if (waitSeconds > 0) return { problem: tooMany(waitSeconds) }
      if (contractChecks >= MOST_CONTRACT_CHECKS) return { problem: tooMany(1) }
      contractChecks += 1
      try {
        return await withDeadline(VERIFY_MS, (signal) => askChain(payment, isKnown, signal))
      } catch (error) {
        logger.warn({ err: toQuietError(error) }, 'a contract could not be asked about its signature')
        return { problem: UNVERIFIABLE }
      } finally {
        contractChecks -= 1
      }
    },
    admit: async ({ claim, payment }) => {
      try {
        const [verification, excess] = await withDeadline(VERIFY_MS, (signal) =>
          Promise.all([facilitator.verify(payment, signal), exposure.check(claim, payment, signal)]),
        )
        return excess ?? toProblem(verification)
      } catch (error) {
        logger.warn({ err: toQuietError(error), call: claim.id }, 'a payment could not be verified')
        return UNVERIFIABLE
      }
    },
  }
}

/** The refusal of whoever asks too often without paying. */
export function tooMany(retryAfterSeconds: number): Problem {
  return {
    code: 'rate_limited',
    detail: `Too many requests of this address were not paid; ask again in ${retryAfterSeconds} seconds.`,
    retryAfterSeconds,
  }
}

function toProblem(verification: Verification): Problem | null {
  if (verification.isValid) return null
  const { reason, needsAllowance } = verification
  const members = { reason }
  if (needsAllowance)
    return {
      code: 'allowance_required',
      detail: 'Permit2 may not move USDC of this wallet yet: approve it, or sign its EIP-2612 permit.',
      members,
    }
  if (/insufficient|balance/i.test(reason))
    return { code: 'payment_insufficient', detail: 'The wallet does not hold the amount.', members }
  if (/expired|valid_before|valid_after|deadline/i.test(reason))
    return { code: 'payment_expired', detail: 'The authorization is outside its lifetime.', members }
  return { code: 'payment_invalid', detail: `The payment was refused: ${reason}.`, members }
}

const BADLY_SIGNED: SignatureFinding = {
  problem: {
    code: 'payment_invalid',
    detail: 'The payment was refused: its signature is not the payer’s.',
    members: { reason: 'invalid_payment_signature' },
  },
}

const UNVERIFIABLE: Problem = {
  code: 'unavailable',
  detail: 'The payment cannot be verified right now. Nothing was charged.',
  retryAfterSeconds: 5,
}
