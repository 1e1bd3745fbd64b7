import { currentOwner } from './owner.ts'

export type BreakerOptions = {
  /** Number of callers whose calls fail, without a success in between, before the breaker opens; default 5. */
  readonly failures?: number
  /** First pause, ms; default 15,000. Each failed trial doubles it. */
  readonly pauseMs?: number
  /** Default 300,000. */
  readonly maxPauseMs?: number
  readonly nowMs?: () => number
}

const DEFAULTS = { failures: 5, pauseMs: 15_000, maxPauseMs: 300_000, nowMs: () => performance.now() }

/**
 * What an error means for the upstream: it fails, it works and rejects the request, it asks for a pause, or
 * nothing.
 */
export type Verdict = 'failure' | 'refusal' | 'nothing' | { readonly pauseMs: number }

/** The breaker is open, and the upstream was not called. */
export class Paused extends Error {
  override readonly name = 'Paused'
  readonly leftMs: number
  constructor(leftMs: number) {
    super(`the upstream is paused for another ${Math.ceil(leftMs)} ms`)
    this.leftMs = leftMs
  }
}

/**
 * On whose behalf a call runs: the payer, or the address of a free call; each call of the process itself
 * counts separately.
 */
export type CallOwner = string | symbol

/** Call it when the work begins: the async context may be a different one at its end. */
export function callOwner(): CallOwner {
  return currentOwner() ?? Symbol('work without an owner')
}

export type CircuitBreaker = {
  /** Remaining pause, ms; 0 while the breaker is closed. */
  leftMs(): number
  /** Records a successful call that was made without `run`. */
  succeed(): void
  /** Records a failed one. @param owner on whose behalf it ran */
  fail(verdict: Verdict, owner: CallOwner): void
  /** @throws Paused while the breaker is open, and whatever `work` throws. */
  run<Answer>(work: () => Promise<Answer>, judge: (error: unknown) => Verdict): Promise<Answer>
}

/**
 * Stops calls to an upstream after consecutive failures, so that callers learn it at once, before they pay,
 * and so that the upstream gets no more load. Failures of one caller count once, because its requests may be
 * the cause. After the pause, one call is a trial; the others wait for its result. An upstream that asks for
 * a pause gets it after the first time.
 */
export function createCircuitBreaker(options: BreakerOptions = {}): CircuitBreaker {
  const { failures: max, pauseMs, maxPauseMs, nowMs } = { ...DEFAULTS, ...options }
  const failing = new Set<CallOwner>()
  let nextPauseMs = pauseMs
  let pausedUntilMs = Number.NEGATIVE_INFINITY
  let isTrialOn = false

  const leftMs = () => Math.max(0, pausedUntilMs - nowMs())
  const close = () => {
    failing.clear()
    nextPauseMs = pauseMs
  }
  const pause = (ms: number) => {
    pausedUntilMs = nowMs() + Math.min(maxPauseMs, ms)
  }
  const take = (verdict: Verdict, owner: CallOwner) => {
    if (verdict === 'nothing') return
    if (verdict === 'refusal') return close()
    if (verdict !== 'failure') return pause(verdict.pauseMs)
    if (failing.size < max) failing.add(owner)
    if (failing.size < max) return
    pause(nextPauseMs)
    nextPauseMs = Math.min(maxPauseMs, 2 * nextPauseMs)
  }

  return {
    leftMs,
    succeed: close,
    fail: take,
    async run(work, judge) {
      const owner = callOwner()
      const isTrial = failing.size >= max
      if (leftMs() > 0 || (isTrial && isTrialOn)) throw new Paused(leftMs())
      isTrialOn = isTrial
      try {
        const answer = await work()
        close()
        return answer
      } catch (error) {
        take(judge(error), owner)
        throw error
      } finally {
        if (isTrial) isTrialOn = false
      }
    },
  }
}
