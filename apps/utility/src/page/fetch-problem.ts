import {
  AnswerTooLarge,
  BlockedTarget,
  InvalidAnswer,
  TooManyFetches,
  Unreachable,
} from '@tollbook/flow/failure'
import { type Problem, ProblemError } from '@tollbook/http/problem'

/**
 * The problem for a caller's URL that cannot be fetched; unexpected errors are returned unchanged.
 * @param parameter the field that held the URL
 */
export function toFetchProblem(error: unknown, parameter: string): unknown {
  const problem = explain(error, parameter)
  return problem ? new ProblemError(problem, { cause: error }) : error
}

function explain(error: unknown, parameter: string): Problem | null {
  if (error instanceof BlockedTarget) {
    const detail = `The URL cannot be fetched: ${error.message}.`
    return { code: 'invalid_request', detail, issues: [{ parameter, detail: error.message }] }
  }
  if (error instanceof AnswerTooLarge)
    return { code: 'cannot_be_served', detail: 'The response of the URL is too large.' }
  if (error instanceof InvalidAnswer)
    return { code: 'upstream_failed', detail: `The response of the URL cannot be used: ${error.message}.` }
  if (error instanceof TooManyFetches) {
    const detail = 'Too many concurrent requests to this host, or for this wallet.'
    return { code: 'unavailable', detail, retryAfterSeconds: 2 }
  }
  if (error instanceof Unreachable)
    return { code: 'upstream_failed', detail: `The URL cannot be reached: ${error.message}.` }
  return null
}
