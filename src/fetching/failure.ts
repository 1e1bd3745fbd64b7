/** Worth trying again: the cause may pass. */
export class RetryableError extends Error {
  override readonly name: string = 'RetryableError'
}

/** Trying again gives the same. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError'
}

/** The part of a request that failed: finding the address, connecting, TLS, waiting for the answer, reading it. */
export type Phase = 'dns' | 'connect' | 'tls' | 'answer' | 'body'

type UnreachableOptions = ErrorOptions & { readonly phase?: Phase; readonly isLate?: boolean }

/** No connection, no answer in time, or the connection broke off. */
export class Unreachable extends RetryableError {
  override readonly name = 'Unreachable'
  /** Where it failed, if that is known. */
  readonly phase: Phase | null
  /** Whether its time ran out, rather than that something broke. */
  readonly isLate: boolean
  constructor(message: string, options: UnreachableOptions = {}) {
    super(message, options)
    this.phase = options.phase ?? null
    this.isLate = options.isLate ?? false
  }
}

/** Too much is under way already: for one host, for one payer, or in all. */
export class TooManyFetches extends RetryableError {
  override readonly name = 'TooManyFetches'
}

/** The upstream answered with something that cannot be used, such as a broken encoding. */
export class InvalidAnswer extends PermanentError {
  override readonly name = 'InvalidAnswer'
}

/** The answer is longer than the caller allows, counted after decoding. */
export class AnswerTooLarge extends PermanentError {
  override readonly name = 'AnswerTooLarge'
}

/** The URL, or an address that its host resolves to, is none that may be reached. */
export class BlockedTarget extends PermanentError {
  override readonly name = 'BlockedTarget'
}

/** A document nests deeper, or has more parts, than may be built into a tree. */
export class TooComplex extends PermanentError {
  override readonly name = 'TooComplex'
}
