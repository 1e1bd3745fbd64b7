import { ModelBusy, ModelFailed } from '../failure.ts'

export type HealthOptions = {
  /** Failures in a row after which the upstream is left alone; default 5. */
  readonly failures?: number
  /** How long at first, ms; default 15,000. Each further failure doubles it. */
  readonly pauseMs?: number
  /** Default 300,000. */
  readonly maxPauseMs?: number
  /** Age at which what a probe said is asked anew, ms; default 15,000. */
  readonly probeAgeMs?: number
  readonly nowMs?: () => number
}

/** What is known of an upstream, by its answers and by probes. */
export type UpstreamHealth = {
  /** Whether it may be asked. Starts a probe where the last one is old, without waiting for it. */
  readonly isReady: () => boolean
  /** For how long it is left alone; 0 while it is not. */
  readonly pauseSeconds: () => number
  readonly succeed: () => void
  /** Takes what its adapter threw: a pause that it asks for (429) is given at once, failures are counted. */
  readonly fail: (error: unknown) => void
  /** Probes it, and waits for what that says. */
  readonly probe: () => Promise<void>
}

const DEFAULTS = {
  failures: 5,
  pauseMs: 15_000,
  maxPauseMs: 300_000,
  probeAgeMs: 15_000,
  nowMs: () => performance.now(),
}

/**
 * Keeps an upstream's health: a circuit breaker that opens by failed calls, and probes that find it dead before a
 * caller does. What a probe says is asked anew while somebody wants to know.
 */
export function createUpstreamHealth(
  isAlive: () => Promise<boolean>,
  options: HealthOptions = {},
): UpstreamHealth {
  const { failures: max, pauseMs, maxPauseMs, probeAgeMs, nowMs } = { ...DEFAULTS, ...options }
  let failures = 0
  let pausedUntilMs = Number.NEGATIVE_INFINITY
  let isDead = false
  let probedMs = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined

  const leftMs = () => Math.max(0, pausedUntilMs - nowMs())
  const pause = (ms: number) => {
    pausedUntilMs = nowMs() + Math.min(maxPauseMs, ms)
  }

  function probe(): Promise<void> {
    probing ??= isAlive()
      .then((isThere) => {
        isDead = !isThere
      })
      .finally(() => {
        probedMs = nowMs()
        probing = undefined
      })
    return probing
  }

  return {
    probe,
    pauseSeconds: () => Math.ceil(leftMs() / 1000),
    isReady() {
      if (nowMs() - probedMs >= probeAgeMs) probe().catch(() => {})
      return !isDead && leftMs() === 0
    },
    succeed() {
      failures = 0
      isDead = false
    },
    fail(error) {
      if (error instanceof ModelBusy) pause(error.retryAfterSeconds * 1000)
      else if (error instanceof ModelFailed) {
        failures += 1
        if (failures >= max) pause(pauseMs * 2 ** (failures - max))
      }
    },
  }
}
