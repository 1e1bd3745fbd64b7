import { type Problem, ProblemError } from '../../catalogue/problem.ts'
import {
  AnswerTooLarge,
  BlockedTarget,
  InvalidAnswer,
  TooManyFetches,
  Unreachable,
} from '../../fetching/failure.ts'

/**
 * What a caller is told when a URL that it named cannot be fetched; anything unexpected stays as it is.
 * @param parameter the field that held the URL
 */
export function toFetchProblem(error: unknown, parameter: string): unknown {
  const problem = explain(error, parameter)
  return problem ? new ProblemError(problem, { cause: error }) : error
}

function explain(error: unknown, parameter: string): Problem | null {
  if (error instanceof BlockedTarget) {
    const detail = `The URL cannot be fetched: ${error.message}.`
    return { code: 'invalid_request', detail, faults: [{ parameter, detail: error.message }] }
  }
  if (error instanceof AnswerTooLarge)
    return { code: 'cannot_be_served', detail: 'What the URL gives is too large.' }
  if (error instanceof InvalidAnswer)
    return { code: 'upstream_failed', detail: `The URL gives nothing that can be used: ${error.message}.` }
  if (error instanceof TooManyFetches) {
    const detail = 'Too many requests to this host, or for this wallet, are under way.'
    return { code: 'unavailable', detail, retryAfterSeconds: 2 }
  }
  if (error instanceof Unreachable)
    return { code: 'upstream_failed', detail: `The URL cannot be reached: ${error.message}.` }
  return null
}
