import type { Receipt } from './types.ts'

/** A call without a usable answer. */
export class TollbookError extends Error {
  override readonly name = 'TollbookError'
  /**
   * The code of the service's problem; or `budget`, `no_offer` (nothing that this client signs, or above `max`),
   * `unreachable` (before a payment was sent), `connection_lost` (after it).
   */
  readonly code: string
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  /** The body of the answer, parsed if it is JSON. */
  readonly problem: unknown
  /** Of a call that was charged nevertheless, as an answer that was cut; null for all others. */
  readonly receipt: Receipt | null

  constructor(
    code: string,
    message: string,
    { status = null, problem, receipt = null, cause }: Partial<Omit<TollbookError, 'code' | 'message'>> = {},
  ) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.problem = problem
    this.receipt = receipt
  }
}

/** What a failed connection means for the caller; an abort stays what it is. */
export function lost(error: unknown, isPaid: boolean, receipt: Receipt | null = null): unknown {
  if (['AbortError', 'TimeoutError'].includes(Object(error).name)) return error
  const [code, message] = isPaid
    ? ['connection_lost', 'the connection was lost after the payment was sent']
    : ['unreachable', 'the service cannot be reached; nothing was paid']
  return new TollbookError(code, message, { receipt, cause: error })
}

/** The problem of an answer (RFC 9457), which the dialects of model APIs put next to their error. */
export function toError(status: number, problem: unknown, receipt: Receipt | null): TollbookError {
  const { problem: nested, error } = Object(problem)
  const { code, detail } = Object(nested ?? problem)
  return new TollbookError(
    `${code ?? error?.code ?? 'http_error'}`,
    `${detail ?? error?.message ?? `HTTP status ${status}`}`,
    { status, problem, receipt },
  )
}
