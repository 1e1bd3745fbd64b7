import { ProblemError } from '../../../catalogue/problem.ts'
import type { SearchBackend } from '../search-backend.ts'

export type BreakerOptions = {
  /** Failures in a row after which the upstream is left alone; default 5. */
  readonly failures?: number
  /** How long at first, ms; default 15,000. Each failure of a trial doubles it. */
  readonly pauseMs?: number
  /** Default 300,000. */
  readonly longestPauseMs?: number
  readonly nowMs?: () => number
}

const DEFAULTS = { failures: 5, pauseMs: 15_000, longestPauseMs: 300_000, nowMs: () => performance.now() }

/**
 * Leaves an upstream alone that fails again and again, so that callers learn at once, before they pay, and so that it
 * is not burdened further. When the pause is over, one call tries it; the others wait for what that shows. An upstream
 * that asks for a pause (429) gets it after the first time.
 */
export function withCircuitBreaker(backend: SearchBackend, options: BreakerOptions = {}): SearchBackend {
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
    if (problem.code === 'unavailable') return pause((problem.retryAfterSeconds ?? 1) * 1000)
    failures += 1
    if (failures < most) return
    pause(nextPauseMs)
    nextPauseMs = Math.min(longestPauseMs, 2 * nextPauseMs)
  }

  return {
    isReady: () => backend.isReady(),
    pauseSeconds: () => Math.ceil(leftMs() / 1000),
    async search(query, signal) {
      const isTrial = failures >= most
      if (leftMs() > 0 || (isTrial && isTrialOn)) throw new ProblemError(pausedProblem(leftMs()))
      isTrialOn = isTrial
      try {
        const found = await backend.search(query, signal)
        close()
        return found
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

/** What callers are told while no upstream is asked. */
export function pausedProblem(leftMs: number) {
  return {
    code: 'unavailable',
    detail: 'The search upstream fails, and is left alone for a while.',
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  } as const
}
