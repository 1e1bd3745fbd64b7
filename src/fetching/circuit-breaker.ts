import { currentOwner } from '../flow/owner.ts'
import { RetryableError } from './failure.ts'

export type BreakerOptions = {
  /** Callers whose calls fail, with no success between, after which the upstream is left alone; default 5. */
  readonly failures?: number
  /** How long at first, ms; default 15,000. Each failure of a trial doubles it. */
  readonly pauseMs?: number
  /** Default 300,000. */
  readonly maxPauseMs?: number
  readonly nowMs?: () => number
}

const DEFAULTS = { failures: 5, pauseMs: 15_000, maxPauseMs: 300_000, nowMs: () => performance.now() }

/** What an error says of the upstream: that it fails, that it works and refuses, that it asks for a pause, or nothing. */
export type Verdict = 'failure' | 'refusal' | 'nothing' | { readonly pauseMs: number }

/** The upstream is left alone for now, and was not asked. */
export class Paused extends RetryableError {
  override readonly name = 'Paused'
  readonly leftMs: number
  constructor(leftMs: number) {
    super(`the upstream is left alone for another ${Math.ceil(leftMs)} ms`)
    this.leftMs = leftMs
  }
}

/** On whose behalf a call runs: the payer, or the address of a free call; work of the process counts each for itself. */
export type CallOwner = string | symbol

/** To be asked for when the call begins: its end may be met elsewhere. */
export function callOwner(): CallOwner {
  return currentOwner() ?? Symbol('work of nobody')
}

export type CircuitBreaker = {
  /** For how long the upstream is left alone, ms; 0 while it is not. */
  leftMs(): number
  /** Takes note of a call that was made without `run` and that succeeded. */
  succeed(): void
  /** The same of one that failed. @param owner on whose behalf it ran */
  fail(verdict: Verdict, owner: CallOwner): void
  /** @throws Paused while the upstream is left alone, and whatever `work` throws. */
  run<Answer>(work: () => Promise<Answer>, judge: (error: unknown) => Verdict): Promise<Answer>
}

/**
 * Leaves an upstream alone that fails again and again, so that callers learn at once, before they pay, and so that it
 * is not burdened further. Failures of one caller count once: what it asks for may be why they fail. When the pause is over, one call tries it; the others wait for what that shows. An upstream
 * that asks for a pause gets it after the first time.
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
