import { Counter, type Registry } from 'prom-client'
import type { PaymentEvent } from '../payment-event.ts'

type Counters = { readonly events: Counter; readonly settled: Counter }

/** Counts what the gate says of its calls, for each service in the registry that its `/metrics` shows. */
export function createGateMetrics() {
  const byService = new Map<string, Counters>()
  return {
    /** Shows the counts of one service in its registry. */
    register(service: string, registry: Registry): void {
      byService.set(service, {
        events: new Counter({
          name: 'tollbook_payment_events_total',
          help: 'What happened to calls of paid endpoints',
          labelNames: ['endpoint', 'event', 'code'],
          registers: [registry],
        }),
        settled: new Counter({
          name: 'tollbook_settled_micro_usdc_total',
          help: 'Micro-USDC that settled',
          labelNames: ['endpoint'],
          registers: [registry],
        }),
      })
    },
    count(event: PaymentEvent): void {
      const counters = byService.get(event.service)
      const { endpoint, kind, code = '', amount } = event
      counters?.events.inc({ endpoint, event: kind, code })
      if (amount !== undefined) counters?.settled.inc({ endpoint }, Number(amount))
    },
  }
}
