import { ProblemError } from '@tollbook/http/problem'
import { ModelFailed } from '@tollbook/models/failure'

/** The cause of a failed model has the message of the engine. */
export function throwCause(error: unknown): never {
  throw (error instanceof ModelFailed || error instanceof ProblemError) && error.cause instanceof Error
    ? error.cause
    : error
}
