import { PermanentError, RetryableError } from '../fetching/failure.ts'
import type { Unserved } from './unserved.ts'

/** The model will not serve this request: it is malformed to it, or longer than it can read. */
export class ModelRefused extends PermanentError {
  override readonly name = 'ModelRefused'
  /** Whether the request is longer than the model can read. */
  readonly isTooLong: boolean
  /** What of it can never be served, where that is known. */
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

/** The upstream takes no more requests for now. */
export class ModelBusy extends RetryableError {
  override readonly name = 'ModelBusy'
  readonly retryAfterSeconds: number
  constructor(message: string, { retryAfterSeconds }: { readonly retryAfterSeconds: number }) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The upstream cannot be reached, fails, or gives something that is no answer. */
export class ModelFailed extends RetryableError {
  override readonly name = 'ModelFailed'
  /** Whether its time ran out. */
  readonly isLate: boolean
  constructor(message: string, options: ErrorOptions & { readonly isLate?: boolean } = {}) {
    super(message, options)
    this.isLate = options.isLate ?? false
  }
}
