import { sql } from 'kysely'
import type { Registry } from 'prom-client'
import { addCountGauge } from '../../http/operations/count-gauge.ts'
import type { State } from '../../state/state.ts'

/** Adds gauges of the calls of a service that run or are not settled yet. Read from the state at each scrape. */
export function registerOpenCallGauges(registry: Registry, { db }: State, service: string): void {
  // As in the partial index of open rows.
  const open = () =>
    db
      .selectFrom('paid_call')
      .where(sql<boolean>`is_open = 1`)
      .where('service', '=', service)
      .groupBy('state')
  addCountGauge(registry, {
    name: 'tollbook_open_calls',
    help: 'Paid calls that run or are not settled yet, of all processes',
    label: 'state',
    read: () =>
      open()
        .select(({ fn }) => ['state as value', fn.countAll<number>().as('count')])
        .execute(),
  })
  addCountGauge(registry, {
    name: 'tollbook_oldest_open_call_timestamp_seconds',
    help: 'When the oldest of these calls was paid, in epoch seconds',
    label: 'state',
    read: () =>
      open()
        .select(['state as value', sql<number>`min(reserved_at) / 1000000`.as('count')])
        .execute(),
  })
}
