import { type AtomicUsdc, formatUsd } from '@tollbook/chain/usdc'
import type { Problem } from '@tollbook/http/problem'

/** What one payer may owe and run at once, and how often it may fail to settle. */
export type ExposureLimits = {
  readonly callsPerPayer: number
  readonly unsettledUpto: AtomicUsdc
  /** Strikes after which a payer is refused. */
  readonly strikes: number
  readonly strikeMs: number
}

/** The payer is refused until a time, epoch milliseconds. */
export function barred(untilMs: number): Problem {
  const until = new Date(untilMs).toISOString()
  return {
    code: 'wallet_barred',
    detail: `A settlement of this wallet reverted at the seller’s cost, so it is refused until ${until}. Pay from another wallet, or send the signed transfer to the chain yourself and repeat this request.`,
    members: { reason: 'wallet_barred', until },
  }
}

/** Several payments of the payer did not settle. */
export function struckOut(limits: ExposureLimits): Problem {
  return {
    code: 'rate_limited',
    detail:
      'Several payments of this wallet did not settle after the work was done; it is refused for a while.',
    retryAfterSeconds: Math.ceil(limits.strikeMs / 1000),
  }
}

/** The payer's open calls are as many as it may have. */
export function tooManyCalls(limits: ExposureLimits): Problem {
  return {
    code: 'rate_limited',
    detail: `This wallet has ${limits.callsPerPayer} calls in progress. Wait until one has ended.`,
    retryAfterSeconds: 1,
  }
}

/** The payer's metered calls may cost more than may stay unsettled. */
export function tooMuchUnsettled(limits: ExposureLimits): Problem {
  return {
    code: 'rate_limited',
    detail: `This wallet has metered calls in progress that may cost more than ${formatUsd(limits.unsettledUpto)} dollars in total. Wait until one has settled.`,
    retryAfterSeconds: 1,
  }
}

/** The balance is less than what is open. */
export const UNCOVERED: Problem = {
  code: 'payment_insufficient',
  detail: 'The wallet does not cover this payment in addition to those that are still open.',
  members: { reason: 'insufficient_funds' },
}

/** The allowance of Permit2 is less than what is open. */
export const UNALLOWED: Problem = {
  code: 'allowance_required',
  detail: 'Permit2 may not move the maximum of this payment in addition to those that are still open.',
  members: { reason: 'permit2_allowance_required' },
}
