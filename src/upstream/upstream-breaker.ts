import { ProblemError } from '../catalogue/problem.ts'
import {
  type BreakerOptions,
  createCircuitBreaker,
  Paused,
  type Verdict,
} from '../fetching/circuit-breaker.ts'

export type UpstreamBreaker = {
  /** For how long the upstream is left alone; 0 while it is not. */
  readonly pauseSeconds: () => number
  /** @throws ProblemError `unavailable` while the upstream is left alone; what the work throws. */
  readonly run: <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>
}

/**
 * Leaves an upstream alone that fails again and again, and tells callers so in a problem. One that asks for a pause
 * (429) gets it after the first time. What it refuses with `cannot_be_served` is no failure.
 * @param name such as `search upstream`
 */
export function createUpstreamBreaker(name: string, options: BreakerOptions = {}): UpstreamBreaker {
  const breaker = createCircuitBreaker(options)
  return {
    pauseSeconds: () => Math.ceil(breaker.leftMs() / 1000),
    async run(work, signal) {
      try {
        // A caller who leaves says nothing of the upstream.
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

/** What callers are told while an upstream is left alone. */
export function pausedProblem(name: string, leftSeconds: number) {
  return {
    code: 'unavailable',
    detail: `The ${name} fails, and is left alone for a while.`,
    retryAfterSeconds: Math.max(1, Math.ceil(leftSeconds)),
  } as const
}
