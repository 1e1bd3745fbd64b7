import { ProblemError } from '@tollbook/http/problem'
import { ModelBusy, ModelFailed, ModelRefused } from '@tollbook/models/failure'

/**
 * The problem that a caller gets when a model returns no answer; unexpected errors are unchanged. Nothing is
 * charged.
 */
export function toModelProblem(error: unknown): unknown {
  if (error instanceof ModelRefused) {
    const detail = error.isTooLong
      ? "The conversation is longer than the model's context."
      : 'The model does not accept this request.'
    const issues = error.unserved.map((issue) => ({ ...issue, code: 'cannot_be_served' as const }))
    const problem = { code: 'cannot_be_served', detail, ...(issues.length > 0 && { issues }) } as const
    return new ProblemError(problem, { cause: error })
  }
  if (error instanceof ModelBusy) {
    const detail = 'The model accepts no more requests at the moment.'
    const { retryAfterSeconds } = error
    return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds }, { cause: error })
  }
  if (error instanceof ModelFailed) {
    return error.isLate
      ? new ProblemError({ code: 'upstream_timeout', detail: 'The model took too long.' }, { cause: error })
      : new ProblemError({ code: 'upstream_failed', detail: 'The model failed.' }, { cause: error })
  }
  return error
}
