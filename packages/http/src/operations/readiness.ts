import type { Registry } from 'prom-client'
import { addLabelledGauge } from './gauges.ts'

/** Something that must work before the service is ready. */
export type ReadinessCheck = {
  readonly name: string
  readonly check: () => Promise<{ readonly isHealthy: boolean; readonly detail: string }>
}

export type Readiness = {
  readonly is_ready: boolean
  readonly checks: readonly { readonly name: string; readonly is_healthy: boolean; readonly detail: string }[]
}

/** Timeout of one check; an orchestrator's probe commonly gives up after this. */
const CHECK_MS = 5_000
/** A result is cached for this long, so that probes cannot overload what they check. */
const REPEAT_MS = 1_000

/**
 * Returns the function behind `/readyz`: all checks run in parallel, each with its timeout; a check that
 * throws is unhealthy.
 */
export function createReadiness(checks: readonly ReadinessCheck[]): () => Promise<Readiness> {
  let latest: { readonly atMs: number; readonly readiness: Promise<Readiness> } | undefined
  return () => {
    const nowMs = performance.now()
    if (!latest || nowMs - latest.atMs > REPEAT_MS) latest = { atMs: nowMs, readiness: askAll(checks) }
    return latest.readiness
  }
}

/** Adds a gauge of the checks, whose result is that of `/readyz`. */
export function registerReadyGauge(registry: Registry, askReadiness: () => Promise<Readiness>): void {
  const name = 'tollbook_ready'
  // The hosts of a service share its registry and its checks.
  if (registry.getSingleMetric(name)) return
  addLabelledGauge(registry, {
    name,
    help: '1 for each passing check of /readyz, 0 for each failing one.',
    label: 'check',
    read: async () => {
      const { checks } = await askReadiness()
      return checks.map((check) => ({ value: check.name, figure: check.is_healthy ? 1 : 0 }))
    },
  })
}

async function askAll(checks: readonly ReadinessCheck[]): Promise<Readiness> {
  const results = await Promise.all(checks.map(askOne))
  return { is_ready: results.every((result) => result.is_healthy), checks: results }
}

async function askOne({ name, check }: ReadinessCheck): Promise<Readiness['checks'][number]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), CHECK_MS)
  })
  try {
    const { isHealthy, detail } = await Promise.race([check(), late])
    return { name, is_healthy: isHealthy, detail }
  } catch {
    // An error's message may name hosts and keys; the log of the checked part has it.
    return { name, is_healthy: false, detail: 'The check failed or timed out.' }
  } finally {
    clearTimeout(timer)
  }
}
