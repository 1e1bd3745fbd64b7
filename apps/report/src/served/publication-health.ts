import { addGauge } from '@tollbook/http/operations/gauges'
import type { ReadinessCheck } from '@tollbook/http/operations/readiness'
import { ROLLING } from '@tollbook/verify/published/edition-name'
import type { Registry } from 'prom-client'
import { loadEdition, type StoredEdition } from '../editions/stored-reports.ts'
import type { State } from '../state/state.ts'

/** The report service is ready when there is something to serve. */
export function createPublicationCheck(state: State): ReadinessCheck {
  return {
    name: 'publication',
    async check() {
      const edition = await loadEdition(state, ROLLING)
      if (!edition) return { isHealthy: false, detail: 'Nothing has been published yet.' }
      return { isHealthy: true, detail: `Published at ${new Date(edition.published_at).toISOString()}.` }
    },
  }
}

const GAUGES: readonly (readonly [name: string, help: string, read: (edition: StoredEdition) => number])[] = [
  [
    'tollbook_report_published_timestamp_seconds',
    'Time of the last publication of the newest window.',
    (edition) => edition.published_at / 1000,
  ],
  [
    'tollbook_report_window_end_block',
    'First block after the newest published window.',
    (edition) => edition.end_block,
  ],
  [
    'tollbook_report_merchants',
    'Merchants that received payments in the newest published window.',
    (edition) => edition.merchants,
  ],
  ['tollbook_report_payments', 'Payments in the newest published window.', (edition) => edition.tx],
]

/** Adds the metrics that show whether the newest window advances. Read from the state on each scrape. */
export function registerPublicationGauges(registry: Registry, state: State): void {
  for (const [name, help, read] of GAUGES)
    addGauge(registry, name, help, async () => {
      const edition = await loadEdition(state, ROLLING)
      return edition && read(edition)
    })
}
