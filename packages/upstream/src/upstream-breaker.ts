import {
  type BreakerOptions,
  createCircuitBreaker,
  Paused,
  type Verdict,
} from '@tollbook/flow/circuit-breaker'
import { ProblemError } from '@tollbook/http/problem'

export type UpstreamBreaker = {
  /** Remaining pause; 0 while the breaker is closed. */
  readonly pauseSeconds: () => number
  /** @throws ProblemError `unavailable` while the breaker is open; what the work throws. */
  readonly run: <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>
}

/**
 * A circuit breaker that reports an open state as a problem. An upstream that asks for a pause (429) gets it
 * after the first time. A request that it rejects with `cannot_be_served` is not a failure.
 * @param name such as `search upstream`
 */
export function createUpstreamBreaker(name: string, options: BreakerOptions = {}): UpstreamBreaker {
  const breaker = createCircuitBreaker(options)
  return {
    pauseSeconds: () => Math.ceil(breaker.leftMs() / 1000),
    async run(work, signal) {
      try {
        // A caller that disconnects says nothing about the upstream.
        return await breaker.run(work, (error) => (signal.aborted ? 'nothing' : judge(error)))
      } catch (error) {
        if (!(error instanceof Paused)) throw error
        throw new ProblemError(pausedProblem(name, error.leftMs / 1000), { cause: error })
      }
    },
  }
}

function judge(error: unknown): Verdict {
  if (!(error instanceof ProblemError)) return 'nothing'
  const { code, retryAfterSeconds = 1 } = error.problem
  if (code === 'cannot_be_served') return 'refusal'
  return code === 'unavailable' ? { pauseMs: retryAfterSeconds * 1000 } : 'failure'
}

/** The problem for callers while the breaker is open. */
export function pausedProblem(name: string, leftSeconds: number) {
  return {
    code: 'unavailable',
    detail: `The ${name} keeps failing and is paused for a while.`,
    retryAfterSeconds: Math.max(1, Math.ceil(leftSeconds)),
  } as const
}
