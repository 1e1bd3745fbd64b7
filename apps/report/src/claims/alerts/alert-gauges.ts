import { addLabelledGauge } from '@tollbook/http/operations/gauges'
import type { Registry } from 'prom-client'
import type { State } from '../../state/state.ts'

/** Adds a gauge of the alerts of the last week and of those that wait. */
export function registerAlertGauges(registry: Registry, { db }: State): void {
  addLabelledGauge(registry, {
    name: 'tollbook_report_alerts',
    help: 'Alerts to webhooks of merchants: pending, and those of the last week that were delivered or given up.',
    label: 'outcome',
    read: () =>
      db
        .selectFrom('alert_delivery')
        .select(({ fn }) => ['outcome as value', fn.countAll<number>().as('figure')])
        .groupBy('outcome')
        .execute(),
  })
}
