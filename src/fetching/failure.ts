/** Worth trying again: the cause may pass. */
export class RetryableError extends Error {
  override readonly name: string = 'RetryableError'
}

/** Trying again gives the same. */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError'
}

/** No connection, no answer in time, or the connection broke off. */
export class Unreachable extends RetryableError {
  override readonly name = 'Unreachable'
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
