import { addLabelledGauge } from '@tollbook/http/operations/gauges'
import { sql } from 'kysely'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { GasLeft, Settlement, SettlementCost } from '../facilitator.ts'
import type { NoteSettlement, PaymentEvent } from '../payment-event.ts'
import { SETTLEMENT_BOUNDS } from '../payment-event.ts'
import type { State } from '../state/state.ts'

type Counters = Readonly<Record<'events' | 'settled' | 'gas' | 'burnt', Counter>> & {
  readonly settling: Histogram
}

type Readings = {
  readonly state: State
  readonly settlementCost: () => SettlementCost | null
  readonly gasLeft: () => readonly GasLeft[]
}

/** Counts the gate's events for each service, in the registry behind its `/metrics`. */
export function createGateMetrics() {
  const byService = new Map<string, Counters>()
  return {
    register(service: string, registry: Registry, readings: Readings): void {
      registerOpenCallGauges(registry, readings.state, service)
      addLabelledGauge(registry, {
        name: 'tollbook_settlement_gas_micro_usdc',
        help: 'Current gas cost of one settlement, in micro-USDC',
        label: 'scheme',
        read: async () =>
          Object.entries(readings.settlementCost() ?? {}).map(([value, figure]) => ({ value, figure })),
      })
      addLabelledGauge(registry, {
        name: 'tollbook_gas_left_settlements',
        help: 'Settlements at the highest fee that the gas of a wallet pays for',
        label: 'wallet',
        read: async () =>
          readings.gasLeft().map(({ address, settlements }) => ({ value: address, figure: settlements })),
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
        settling: registerSettling(registry),
      })
    },
    noteSettlement: (({ service, outcome, tookMs }) => {
      byService.get(service)?.settling.observe({ outcome }, tookMs / 1000)
    }) satisfies NoteSettlement,
    count(event: PaymentEvent): void {
      const counters = byService.get(event.service)
      const { endpoint, kind, code = '', amount, gasCost, gas } = event
      counters?.events.inc({ endpoint, event: kind, code })
      if (amount !== undefined) counters?.settled.inc({ endpoint }, Number(amount))
      if (gasCost !== undefined) counters?.gas.inc({ endpoint }, Number(gasCost))
      // From 0 on: `increase` does not see a first value.
      counters?.burnt.inc({ endpoint }, Number(gas ?? 0))
    },
  }
}

const OUTCOMES: readonly Settlement['outcome'][] = ['settled', 'failed', 'unknown']

/** Each outcome begins at 0: a rate does not count the value with which a series appears. */
function registerSettling(registry: Registry): Histogram {
  const settling = new Histogram({
    name: 'tollbook_settlement_seconds',
    help: 'From a call that is to be settled to the outcome of its settlement',
    labelNames: ['outcome'],
    buckets: SETTLEMENT_BOUNDS,
    registers: [registry],
  })
  for (const outcome of OUTCOMES) settling.zero({ outcome })
  return settling
}

/** Adds gauges of the calls of a service that run or are not settled yet. Read from the state at each scrape. */
function registerOpenCallGauges(registry: Registry, { db }: State, service: string): void {
  // As in the partial index of open rows.
  const open = () =>
    db
      .selectFrom('paid_call')
      .where(sql<boolean>`is_open = 1`)
      .where('service', '=', service)
      .groupBy('state')
  addLabelledGauge(registry, {
    name: 'tollbook_open_calls',
    help: 'Paid calls that run or are not settled yet, of all processes',
    label: 'state',
    read: () =>
      open()
        .select(({ fn }) => ['state as value', fn.countAll<number>().as('figure')])
        .execute(),
  })
  addLabelledGauge(registry, {
    name: 'tollbook_oldest_open_call_timestamp_seconds',
    help: 'When the oldest of these calls was paid, in epoch seconds',
    label: 'state',
    read: () =>
      open()
        .select(['state as value', sql<number>`min(reserved_at) / 1000000`.as('figure')])
        .execute(),
  })
}
