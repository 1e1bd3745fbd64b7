import { ProblemError } from '../../catalogue/problem.ts'
import { ModelBusy, ModelFailed, ModelRefused } from '../../models/failure.ts'

/** What a caller is told when a model gives no answer; anything unexpected stays as it is. Nothing is charged. */
export function toModelProblem(error: unknown): unknown {
  if (error instanceof ModelRefused) {
    const detail = error.isTooLong
      ? 'The conversation is longer than the model can read.'
      : 'The model does not take this request.'
    const faults = error.unserved.map((fault) => ({ ...fault, code: 'cannot_be_served' as const }))
    const problem = { code: 'cannot_be_served', detail, ...(faults.length > 0 && { faults }) } as const
    return new ProblemError(problem, { cause: error })
  }
  if (error instanceof ModelBusy) {
    const detail = 'The model takes no more requests for now.'
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
