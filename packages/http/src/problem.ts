/**
 * The one registry of problem codes. Each has its own heading in docs/problems.md (test/docs.test.ts checks
 * both directions).
 */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is malformed' },
  unknown_parameter: { status: 400, title: 'A parameter is unknown' },
  payment_malformed: { status: 400, title: 'The payment header cannot be read' },
  api_key_required: { status: 401, title: 'An API key is required' },
  operator_key_required: { status: 401, title: 'The key of the operator is required' },
  payment_required: { status: 402, title: 'Payment is required' },
  payment_invalid: { status: 402, title: 'The payment was refused' },
  payment_expired: { status: 402, title: 'The payment authorization is outside its lifetime' },
  payment_insufficient: { status: 402, title: 'The payer cannot cover the payment' },
  payment_settlement_failed: { status: 402, title: 'The payment did not settle' },
  contract_wallet_refused: { status: 402, title: 'The wallet’s code costs too much gas' },
  wallet_barred: { status: 402, title: 'The wallet is refused after a reverted settlement' },
  allowance_required: { status: 402, title: 'The payer must first allow Permit2 to move USDC' },
  credential_refused: { status: 403, title: 'The credential was refused' },
  payer_proof_required: { status: 403, title: 'The stored answer is given only to its payer' },
  signature_invalid: { status: 403, title: 'The signature is not that of the wallet' },
  origin_refused: { status: 403, title: 'Pages of this origin are refused' },
  not_found: { status: 404, title: 'Nothing was found at this address' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  payment_in_flight: { status: 409, title: 'This payment is being served right now' },
  payment_reused: { status: 409, title: 'This payment belongs to another request' },
  payment_spent: { status: 409, title: 'This payment has been used' },
  challenge_not_open: { status: 409, title: 'The signed text is not an open challenge' },
  version_conflict: { status: 409, title: 'The version is no longer current' },
  write_pending: { status: 409, title: 'Another write has not been paid for yet' },
  no_longer_kept: { status: 410, title: 'This is no longer stored' },
  too_large: { status: 413, title: 'The request is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not accepted' },
  cannot_be_served: { status: 422, title: 'The request cannot be served' },
  rate_limited: { status: 429, title: 'Too many requests' },
  header_too_large: { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Internal error' },
  not_offered: { status: 501, title: 'The configured provider does not support this operation' },
  upstream_failed: { status: 502, title: 'The upstream failed' },
  not_configured: { status: 503, title: 'The endpoint is not configured' },
  unavailable: { status: 503, title: 'The endpoint is unhealthy or busy' },
  gas_too_expensive: { status: 503, title: 'Gas costs too much for this call right now' },
  settlement_unknown: { status: 503, title: 'The outcome of the settlement is not yet known' },
  upstream_timeout: { status: 504, title: 'The upstream took too long' },
  quota_exceeded: { status: 507, title: 'The storage quota is used up' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof PROBLEMS

/** One validation error of an argument; one problem may contain several. */
export type Issue = {
  /** The parameter's name, a dotted path below it, or `body`. */
  readonly parameter: string
  readonly detail: string
  /** The code with which a paid call with this issue is rejected; default `invalid_request`. */
  readonly code?: ProblemCode
  /** For programs: `error.details` of the messages dialect, if it is the first issue. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A human-readable error that may be shown to anyone: never a stack, a secret or an upstream's body. */
export type Problem = {
  readonly code: ProblemCode
  readonly detail: string
  readonly issues?: readonly Issue[]
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds?: number
  /** Further members of the problem document (RFC 9457 section 3.2). */
  readonly members?: Readonly<Record<string, unknown>>
  /** Members of the body itself in every dialect, as JSON without the braces. */
  readonly bodyMembers?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Thrown when the call cannot continue; rendered as its problem, and never charged. */
export class ProblemError extends Error {
  readonly problem: Problem
  /** Whether the input cost so much that the refusal counts as a strike against its payer. */
  readonly isStrike: boolean
  constructor(problem: Problem, options: { cause?: unknown; isStrike?: boolean } = {}) {
    super(`${problem.code}: ${problem.detail}`, options)
    this.name = 'ProblemError'
    this.problem = problem
    this.isStrike = options.isStrike ?? false
  }
}
