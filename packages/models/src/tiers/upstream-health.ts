import { type BreakerOptions, type CallOwner, createCircuitBreaker } from '@tollbook/flow/circuit-breaker'
import { ModelBusy, ModelFailed } from '../failure.ts'

export type HealthOptions = BreakerOptions & {
  /** Age after which a probe result is stale, ms; default 15,000. */
  readonly probeAgeMs?: number
  /** Time after which a probe without an answer has failed, ms; default 3,000. */
  readonly probeTimeoutMs?: number
}

/** Health of an upstream, from its answers and from probes. */
export type UpstreamHealth = {
  /** Whether the upstream can be called. If the last probe is stale, starts a new one without waiting for it. */
  readonly isReady: () => boolean
  /** Seconds until the circuit breaker allows calls again; 0 if it does. */
  readonly pauseSeconds: () => number
  readonly succeed: () => void
  /**
   * Records an error of the adapter: a requested pause (429) applies at once; other failures are counted per
   * caller.
   */
  readonly fail: (error: unknown, owner: CallOwner) => void
  /** Probes the upstream and waits for the result. */
  readonly probe: () => Promise<void>
}

const PROBE_AGE_MS = 15_000

/**
 * Tracks an upstream's health: a circuit breaker that opens after failed calls, and probes that detect a dead
 * upstream before a caller does. Probes repeat only while the health is queried.
 */
export function createUpstreamHealth(
  isAlive: (timeoutMs?: number) => Promise<boolean>,
  options: HealthOptions = {},
): UpstreamHealth {
  const { probeAgeMs = PROBE_AGE_MS, probeTimeoutMs, nowMs = () => performance.now() } = options
  const breaker = createCircuitBreaker(options)
  let isDead = false
  let probedMs = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined

  function probe(): Promise<void> {
    probing ??= isAlive(probeTimeoutMs)
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
