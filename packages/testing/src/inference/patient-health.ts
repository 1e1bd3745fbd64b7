import type { HealthOptions } from '@tollbook/models/tiers/upstream-health'

/** Health of an upstream that a slow machine does not change: long probes, and no pause after failures. */
export const patientHealth: HealthOptions = {
  failures: 1000,
  probeTimeoutMs: 60_000,
  probeAgeMs: 3_600_000,
}
