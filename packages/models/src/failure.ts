import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import type { Unserved } from './unserved.ts'

/** The model refuses this request: it is invalid or too long for the model. */
export class ModelRefused extends PermanentError {
  override readonly name = 'ModelRefused'
  /** Whether the request exceeds the model's context. */
  readonly isTooLong: boolean
  /** The parts of the request that can never be served, if known. */
  readonly unserved: readonly Unserved[]
  constructor(
    message: string,
    { isTooLong, unserved = [] }: { readonly isTooLong: boolean; readonly unserved?: readonly Unserved[] },
  ) {
    super(message)
    this.isTooLong = isTooLong
    this.unserved = unserved
  }
}

/** The upstream is rate limiting or overloaded. */
export class ModelBusy extends RetryableError {
  override readonly name = 'ModelBusy'
  readonly retryAfterSeconds: number
  constructor(message: string, { retryAfterSeconds }: { readonly retryAfterSeconds: number }) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The upstream is unreachable, failed, or sent an invalid answer. */
export class ModelFailed extends RetryableError {
  override readonly name = 'ModelFailed'
  /** Whether the failure is a timeout. */
  readonly isLate: boolean
  constructor(message: string, options: ErrorOptions & { readonly isLate?: boolean } = {}) {
    super(message, options)
    this.isLate = options.isLate ?? false
  }
}
