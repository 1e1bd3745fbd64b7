import { SETTLEMENT_BOUNDS } from '@tollbook/gate/payment-event'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { SettleResult } from './settle-result.ts'

export type FacilitatorMetrics = {
  noteResult(outcome: SettleResult['outcome'], reason: string, tookMs: number): void
}

/** Registers the outcomes of requests to settle; transactions and settlements have metrics of their own. */
export function registerFacilitatorMetrics(registry: Registry): FacilitatorMetrics {
  const registers = [registry]
  const settling = new Histogram({
    name: 'tollbook_facilitator_settle_seconds',
    help: 'From a request to settle to its answer',
    labelNames: ['outcome'],
    buckets: SETTLEMENT_BOUNDS,
    registers,
  })
  const failures = new Counter({
    name: 'tollbook_facilitator_failures_total',
    help: 'Requests to settle that did not settle, by reason',
    labelNames: ['outcome', 'reason'],
    registers,
  })
  return {
    noteResult(outcome, reason, tookMs) {
      settling.observe({ outcome }, tookMs / 1000)
      if (outcome !== 'settled') failures.inc({ outcome, reason })
    },
  }
}
