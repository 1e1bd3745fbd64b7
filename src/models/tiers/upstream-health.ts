import { type BreakerOptions, type CallOwner, createCircuitBreaker } from '../../fetching/circuit-breaker.ts'
import { ModelBusy, ModelFailed } from '../failure.ts'

export type HealthOptions = BreakerOptions & {
  /** Age at which what a probe said is asked anew, ms; default 15,000. */
  readonly probeAgeMs?: number
}

/** What is known of an upstream, by its answers and by probes. */
export type UpstreamHealth = {
  /** Whether it may be asked. Starts a probe where the last one is old, without waiting for it. */
  readonly isReady: () => boolean
  /** For how long it is left alone; 0 while it is not. */
  readonly pauseSeconds: () => number
  readonly succeed: () => void
  /** Takes what its adapter threw: a pause that it asks for (429) is given at once, failing callers are counted. */
  readonly fail: (error: unknown, owner: CallOwner) => void
  /** Probes it, and waits for what that says. */
  readonly probe: () => Promise<void>
}

const PROBE_AGE_MS = 15_000

/**
 * Keeps an upstream's health: a circuit breaker that opens by failed calls, and probes that find it dead before a
 * caller does. What a probe says is asked anew while somebody wants to know.
 */
export function createUpstreamHealth(
  isAlive: () => Promise<boolean>,
  options: HealthOptions = {},
): UpstreamHealth {
  const { probeAgeMs = PROBE_AGE_MS, nowMs = () => performance.now() } = options
  const breaker = createCircuitBreaker(options)
  let isDead = false
  let probedMs = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined

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
    pauseSeconds: () => Math.ceil(breaker.leftMs() / 1000),
    isReady() {
      if (nowMs() - probedMs >= probeAgeMs) probe().catch(() => {})
      return !isDead && breaker.leftMs() === 0
    },
    succeed() {
      breaker.succeed()
      isDead = false
    },
    fail(error, owner) {
      if (error instanceof ModelBusy) breaker.fail({ pauseMs: error.retryAfterSeconds * 1000 }, owner)
      else if (error instanceof ModelFailed) breaker.fail('failure', owner)
    },
  }
}
