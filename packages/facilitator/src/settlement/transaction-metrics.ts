import { SETTLEMENT_BOUNDS } from '@tollbook/gate/payment-event'
import { addGauge } from '@tollbook/http/operations/gauges'
import { Histogram, type Registry } from 'prom-client'
import type { MinedSettlement } from './options.ts'

/** Metrics of the transactions that the wallets of this process send, for the registries of all its services. */
export function createTransactionMetrics() {
  const unregistered = { registers: [] }
  const gas = new Histogram({
    name: 'tollbook_facilitator_settlement_gas',
    help: 'Gas of a payment: that of its transaction, divided by the payments in it',
    buckets: [40_000, 46_000, 55_000, 70_000, 90_000, 120_000, 160_000, 300_000],
    ...unregistered,
  })
  const size = new Histogram({
    name: 'tollbook_facilitator_batch_payments',
    help: 'Payments in one transaction',
    buckets: [1, 2, 5, 10, 20, 50, 100, 150],
    ...unregistered,
  })
  const mining = new Histogram({
    name: 'tollbook_facilitator_mining_seconds',
    help: 'From sending a transaction to its receipt',
    buckets: SETTLEMENT_BOUNDS,
    ...unregistered,
  })
  return {
    /** @param waiting counts the payments that wait for a transaction. */
    register(registry: Registry, waiting: () => number): void {
      for (const metric of [gas, size, mining]) registry.registerMetric(metric)
      const help = 'Payments that wait for a transaction'
      addGauge(registry, 'tollbook_facilitator_waiting_payments', help, async () => waiting())
    },
    noteMined({ payments, gasUsed, tookMs }: MinedSettlement): void {
      size.observe(payments.length)
      mining.observe(tookMs / 1000)
      for (const _ of payments) gas.observe(Number(gasUsed) / payments.length)
    },
  }
}
