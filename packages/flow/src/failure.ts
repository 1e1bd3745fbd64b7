/** Worth a retry: the cause may be transient. */
export class RetryableError extends Error {
  override readonly name: string = 'RetryableError'
}

/** A retry fails in the same way. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError'
}

/** The phase of a request that failed: resolving the name, connecting, TLS, waiting for the answer, reading it. */
export type Phase = 'dns' | 'connect' | 'tls' | 'answer' | 'body'

type UnreachableOptions = ErrorOptions & { readonly phase?: Phase; readonly isLate?: boolean }

/** No connection, no answer in time, or the connection broke. */
export class Unreachable extends RetryableError {
  override readonly name = 'Unreachable'
  /** Where it failed, if known. */
  readonly phase: Phase | null
  /** Whether it timed out, rather than broke. */
  readonly isLate: boolean
  constructor(message: string, options: UnreachableOptions = {}) {
    super(message, options)
    this.phase = options.phase ?? null
    this.isLate = options.isLate ?? false
  }
}

/** Too many requests are running already: to one host, for one payer, or in total. */
export class TooManyFetches extends RetryableError {
  override readonly name = 'TooManyFetches'
}

/** The upstream's answer cannot be used, for example because its encoding is broken. */
export class InvalidAnswer extends PermanentError {
  override readonly name = 'InvalidAnswer'
}

/** The answer is longer than the caller allows, counted after decoding. */
export class AnswerTooLarge extends PermanentError {
  override readonly name = 'AnswerTooLarge'
}

/** The URL, or an address that its host resolves to, must not be reached. */
export class BlockedTarget extends PermanentError {
  override readonly name = 'BlockedTarget'
}

/** A document is nested deeper, or has more parts, than may be built into a tree. */
export class TooComplex extends PermanentError {
  override readonly name = 'TooComplex'
}
