import type { Counter, Histogram, Meter } from '@tollbook/flow/meter'
import { sql } from 'kysely'
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

/** Counts the gate's events for each service, in the meter of each. */
export function createGateMetrics() {
  const byService = new Map<string, Counters>()
  return {
    register(service: string, meter: Meter, readings: Readings): void {
      registerOpenCallGauges(meter, readings.state, service)
      meter.gauge({
        name: 'tollbook_settlement_gas_micro_usdc',
        help: 'Current gas cost of one settlement, in micro-USDC',
        label: 'scheme',
        read: async () =>
          Object.entries(readings.settlementCost() ?? {}).map(([value, figure]) => ({ value, figure })),
      })
      meter.gauge({
        name: 'tollbook_gas_left_settlements',
        help: 'Settlements at the highest fee that the gas of a wallet pays for',
        label: 'wallet',
        read: async () =>
          readings.gasLeft().map(({ address, settlements }) => ({ value: address, figure: settlements })),
      })
      byService.set(service, {
        events: meter.counter({
          name: 'tollbook_payment_events_total',
          help: 'Outcomes of calls to paid endpoints',
          labels: ['endpoint', 'event', 'code'],
        }),
        settled: meter.counter({
          name: 'tollbook_settled_micro_usdc_total',
          help: 'Micro-USDC that settled',
          labels: ['endpoint'],
        }),
        gas: meter.counter({
          name: 'tollbook_settled_gas_micro_usdc_total',
          help: 'What the gas of those settlements cost, in micro-USDC',
          labels: ['endpoint'],
        }),
        burnt: meter.counter({
          name: 'tollbook_reverted_gas_total',
          help: 'Gas of settlements that were mined and reverted',
          labels: ['endpoint'],
        }),
        settling: registerSettling(meter),
      })
    },
    noteSettlement: (({ service, outcome, tookMs }) => {
      byService.get(service)?.settling.record({ outcome }, tookMs / 1000)
    }) satisfies NoteSettlement,
    count(event: PaymentEvent): void {
      const counters = byService.get(event.service)
      const { endpoint, kind, code = '', amount, gasCost, gas } = event
      counters?.events.add({ endpoint, event: kind, code })
      if (amount !== undefined) counters?.settled.add({ endpoint }, Number(amount))
      if (gasCost !== undefined) counters?.gas.add({ endpoint }, Number(gasCost))
      // From 0 on: `increase` does not see a first value.
      counters?.burnt.add({ endpoint }, Number(gas ?? 0))
    },
  }
}

const OUTCOMES: readonly Settlement['outcome'][] = ['settled', 'failed', 'unknown']

/** Each outcome begins at 0: a rate does not count the value with which a series appears. */
function registerSettling(meter: Meter): Histogram {
  const settling = meter.histogram({
    name: 'tollbook_settlement_seconds',
    help: 'From a call that is to be settled to the outcome of its settlement',
    labels: ['outcome'],
    bounds: SETTLEMENT_BOUNDS,
  })
  for (const outcome of OUTCOMES) settling.zero({ outcome })
  return settling
}

/** Adds gauges of the calls of a service that run or are not settled yet. Read from the state at each collection. */
function registerOpenCallGauges(meter: Meter, { db }: State, service: string): void {
  // As in the partial index of open rows.
  const open = () =>
    db
      .selectFrom('paid_call')
      .where(sql<boolean>`is_open = 1`)
      .where('service', '=', service)
      .groupBy('state')
  meter.gauge({
    name: 'tollbook_open_calls',
    help: 'Paid calls that run or are not settled yet, of all processes',
    label: 'state',
    read: () =>
      open()
        .select(({ fn }) => ['state as value', fn.countAll<number>().as('figure')])
        .execute(),
  })
  meter.gauge({
    name: 'tollbook_oldest_open_call_timestamp_seconds',
    help: 'When the oldest of these calls was paid, in epoch seconds',
    label: 'state',
    read: () =>
      open()
        .select(['state as value', sql<number>`min(reserved_at) / 1000000`.as('figure')])
        .execute(),
  })
}
