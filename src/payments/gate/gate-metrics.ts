import { Counter, Gauge, type Registry } from 'prom-client'
import type { GasLeft, SettlementCost } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'

type Counters = Readonly<Record<'events' | 'settled' | 'gas' | 'burnt', Counter>>

type GasReadings = {
  readonly settlementCost: () => SettlementCost | null
  readonly gasLeft: () => readonly GasLeft[]
}

/** Counts the gate's events for each service, in the registry behind its `/metrics`. */
export function createGateMetrics() {
  const byService = new Map<string, Counters>()
  return {
    /** Adds the counters of one service to its registry, and gauges of gas. */
    register(service: string, registry: Registry, gas: GasReadings): void {
      new Gauge({
        name: 'tollbook_settlement_gas_micro_usdc',
        help: 'Current gas cost of one settlement, in micro-USDC',
        labelNames: ['scheme'],
        registers: [registry],
        collect() {
          for (const [scheme, cost] of Object.entries(gas.settlementCost() ?? {}))
            this.set({ scheme }, Number(cost))
        },
      })
      new Gauge({
        name: 'tollbook_gas_left_settlements',
        help: 'Settlements at the highest fee that the gas of a wallet pays for',
        labelNames: ['wallet'],
        registers: [registry],
        collect() {
          for (const { address, settlements } of gas.gasLeft())
            this.set({ wallet: address }, Number(settlements))
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
        gas: new Counter({
          name: 'tollbook_settled_gas_micro_usdc_total',
          help: 'What the gas of those settlements cost, in micro-USDC',
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
      const { endpoint, kind, code = '', amount, gasCost, gas } = event
      counters?.events.inc({ endpoint, event: kind, code })
      if (amount !== undefined) counters?.settled.inc({ endpoint }, Number(amount))
      if (gasCost !== undefined) counters?.gas.inc({ endpoint }, Number(gasCost))
      if (gas !== undefined) counters?.burnt.inc({ endpoint }, Number(gas))
    },
  }
}
