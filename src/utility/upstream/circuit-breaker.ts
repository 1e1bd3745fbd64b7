import { ProblemError } from '../../catalogue/problem.ts'

export type BreakerOptions = {
  /** Failures in a row after which the upstream is left alone; default 5. */
  readonly failures?: number
  /** How long at first, ms; default 15,000. Each failure of a trial doubles it. */
  readonly pauseMs?: number
  /** Default 300,000. */
  readonly longestPauseMs?: number
  readonly nowMs?: () => number
}

export type CircuitBreaker = {
  /** For how long the upstream is left alone; 0 while it is not. */
  readonly pauseSeconds: () => number
  /** @throws ProblemError `unavailable` while the upstream is left alone; what the work throws. */
  readonly run: <Result>(work: () => Promise<Result>, signal: AbortSignal) => Promise<Result>
}

const DEFAULTS = { failures: 5, pauseMs: 15_000, longestPauseMs: 300_000, nowMs: () => performance.now() }

/**
 * Leaves an upstream alone that fails again and again, so that callers learn at once, before they pay, and so that it
 * is not burdened further. When the pause is over, one call tries it; the others wait for what that shows. An upstream
 * that asks for a pause (429) gets it after the first time. What it refuses with `cannot_be_served` is no failure.
 * @param name such as `search upstream`
 */
export function createCircuitBreaker(name: string, options: BreakerOptions = {}): CircuitBreaker {
  const { failures: most, pauseMs, longestPauseMs, nowMs } = { ...DEFAULTS, ...options }
  let failures = 0
  let nextPauseMs = pauseMs
  let pausedUntilMs = Number.NEGATIVE_INFINITY
  let isTrialOn = false

  const leftMs = () => Math.max(0, pausedUntilMs - nowMs())
  const close = () => {
    failures = 0
    nextPauseMs = pauseMs
  }
  const pause = (ms: number) => {
    pausedUntilMs = nowMs() + Math.min(longestPauseMs, ms)
  }
  const takeFailure = ({ problem }: ProblemError) => {
    if (problem.code === 'cannot_be_served') return close()
    if (problem.code === 'unavailable') return pause((problem.retryAfterSeconds ?? 1) * 1000)
    failures += 1
    if (failures < most) return
    pause(nextPauseMs)
    nextPauseMs = Math.min(longestPauseMs, 2 * nextPauseMs)
  }

  return {
    pauseSeconds: () => Math.ceil(leftMs() / 1000),
    async run(work, signal) {
      const isTrial = failures >= most
      if (leftMs() > 0 || (isTrial && isTrialOn)) throw new ProblemError(pausedProblem(name, leftMs() / 1000))
      isTrialOn = isTrial
      try {
        const result = await work()
        close()
        return result
      } catch (error) {
        // A caller who leaves says nothing of the upstream.
        if (!signal.aborted && error instanceof ProblemError) takeFailure(error)
        throw error
      } finally {
        if (isTrial) isTrialOn = false
      }
    },
  }
}

/** What callers are told while an upstream is left alone. */
export function pausedProblem(name: string, leftSeconds: number) {
  return {
    code: 'unavailable',
    detail: `The ${name} fails, and is left alone for a while.`,
    retryAfterSeconds: Math.max(1, Math.ceil(leftSeconds)),
  } as const
}
