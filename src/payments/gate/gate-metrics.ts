import { Counter, Gauge, type Registry } from 'prom-client'
import type { SettlementCost } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'

type Counters = { readonly events: Counter; readonly settled: Counter; readonly burnt: Counter }

/** Counts the gate's events for each service, in the registry behind its `/metrics`. */
export function createGateMetrics() {
  const byService = new Map<string, Counters>()
  return {
    /** Adds the counters of one service to its registry, and the current gas cost of a settlement. */
    register(service: string, registry: Registry, settlementCost: () => SettlementCost | null): void {
      new Gauge({
        name: 'tollbook_settlement_gas_micro_usdc',
        help: 'Current gas cost of one settlement, in micro-USDC',
        labelNames: ['scheme'],
        registers: [registry],
        collect() {
          for (const [scheme, cost] of Object.entries(settlementCost() ?? {}))
            this.set({ scheme }, Number(cost))
        },
      })
      byService.set(service, {
        events: new Counter({
          name: 'tollbook_payment_events_total',
          help: 'Outcomes of calls to paid endpoints',
          labelNames: ['endpoint', 'event', 'code'],
          registers: [registry],
        }),
        settled: new Counter({
          name: 'tollbook_settled_micro_usdc_total',
          help: 'Micro-USDC that settled',
          labelNames: ['endpoint'],
          registers: [registry],
        }),
        burnt: new Counter({
          name: 'tollbook_reverted_gas_total',
          help: 'Gas of settlements that were mined and reverted',
          labelNames: ['endpoint'],
          registers: [registry],
        }),
      })
    },
    count(event: PaymentEvent): void {
      const counters = byService.get(event.service)
      const { endpoint, kind, code = '', amount, gas } = event
      counters?.events.inc({ endpoint, event: kind, code })
      if (amount !== undefined) counters?.settled.inc({ endpoint }, Number(amount))
      if (gas !== undefined) counters?.burnt.inc({ endpoint }, Number(gas))
    },
  }
}
