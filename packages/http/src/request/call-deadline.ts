import { type Deadline, startDeadline } from '@tollbook/flow/deadline'
import { ProblemError } from '../problem.ts'

/** The deadline of a call, stream included: `upstream_timeout` after `limitMs`, or the caller's signal. */
export function startCallDeadline(limitMs: number, caller?: AbortSignal): Deadline {
  return startDeadline(limitMs, caller, toProblemError)
}

function toProblemError(limitMs: number): ProblemError {
  return new ProblemError({
    code: 'upstream_timeout',
    detail: `The call exceeded its time limit of ${limitMs / 1000} s and was aborted.`,
  })
}
