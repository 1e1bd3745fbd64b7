import { Counter, Histogram, type Registry } from 'prom-client'
import type { MinedSettlement } from '../payments/settlement/options.ts'
import type { SettleResult } from './settlements.ts'

export type FacilitatorMetrics = {
  noteMined(mined: MinedSettlement): void
  noteResult(outcome: SettleResult['outcome'], reason: string, tookMs: number): void
}

/** Registers what an operator watches; events of settlements are those of the gate's metrics. */
export function registerFacilitatorMetrics(registry: Registry): FacilitatorMetrics {
  const registers = [registry]
  const gas = new Histogram({
    name: 'tollbook_facilitator_settlement_gas',
    help: 'Gas of a payment: that of its transaction, divided by the payments in it',
    buckets: [40_000, 46_000, 55_000, 70_000, 90_000, 120_000, 160_000, 300_000],
    registers,
  })
  const size = new Histogram({
    name: 'tollbook_facilitator_batch_payments',
    help: 'Payments in one transaction',
    buckets: [1, 2, 5, 10, 20, 50, 100, 150],
    registers,
  })
  const mining = new Histogram({
    name: 'tollbook_facilitator_mining_seconds',
    help: 'From sending a transaction to its receipt',
    buckets: [0.01, 0.05, 0.2, 0.5, 1, 2, 4, 8, 16, 30],
    registers,
  })
  const settling = new Histogram({
    name: 'tollbook_facilitator_settle_seconds',
    help: 'From a request to settle to its answer',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.2, 0.5, 1, 2, 4, 8, 16, 30],
    registers,
  })
  const failures = new Counter({
    name: 'tollbook_facilitator_failures_total',
    help: 'Requests to settle that did not settle, by reason',
    labelNames: ['outcome', 'reason'],
    registers,
  })
  return {
    noteMined({ payments, gasUsed, tookMs }) {
      size.observe(payments.length)
      mining.observe(tookMs / 1000)
      for (const _ of payments) gas.observe(Number(gasUsed) / payments.length)
    },
    noteResult(outcome, reason, tookMs) {
      settling.observe({ outcome }, tookMs / 1000)
      if (outcome !== 'settled') failures.inc({ outcome, reason })
    },
  }
}
