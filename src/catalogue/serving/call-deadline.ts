import { type Deadline, startDeadline } from '../../flow/deadline.ts'
import { ProblemError } from '../../http/problem.ts'

/**
 * Starts the one deadline of a call, which its handler, its stream and its caller share: a time limit, ms,
 * after which it aborts with the problem `upstream_timeout`, or the caller's signal.
 */
export function startCallDeadline(limitMs: number, caller?: AbortSignal): Deadline {
  return startDeadline(limitMs, caller, toProblemError)
}

function toProblemError(limitMs: number): ProblemError {
  return new ProblemError({
    code: 'upstream_timeout',
    detail: `The call exceeded its time limit of ${limitMs / 1000} s and was aborted.`,
  })
}
