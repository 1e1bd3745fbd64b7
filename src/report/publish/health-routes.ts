import { Gauge, type Registry } from 'prom-client'
import { ROLLING } from './publish-run.ts'
import type { ReportRoute } from './route.ts'
import { loadEdition, type StoredEdition } from './stored-reports.ts'

type HealthRoute = Pick<ReportRoute, 'path' | 'answer'>

/** What supervisors and Prometheus ask. */
export function createHealthRoutes(registry: Registry): readonly HealthRoute[] {
  const show = createEditionGauges(registry)
  return [
    { path: '/healthz', answer: async () => json({ status: 'ok' }, 200) },
    {
      path: '/readyz',
      answer: async (_context, { state }) => {
        const edition = await loadEdition(state, ROLLING).catch(() => null)
        if (edition === null)
          return json({ status: 'unavailable', detail: 'The state store does not answer.' }, 503)
        if (!edition) return json({ status: 'unavailable', detail: 'Nothing has been published yet.' }, 503)
        return json({ status: 'ready', published_at: new Date(edition.published_at).toISOString() }, 200)
      },
    },
    {
      path: '/metrics',
      answer: async (_context, { state }) => {
        const edition = await loadEdition(state, ROLLING).catch(() => undefined)
        if (edition) show(edition)
        return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
      },
    },
  ]
}

function createEditionGauges(registry: Registry): (edition: StoredEdition) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const publishedAt = gauge(
    'tollbook_report_published_timestamp_seconds',
    'When the newest window was last published.',
  )
  const endBlock = gauge('tollbook_report_window_end_block', 'First block after the newest published window.')
  const merchants = gauge('tollbook_report_merchants', 'Merchants paid in the newest published window.')
  const payments = gauge('tollbook_report_payments', 'Payments in the newest published window.')
  return (edition) => {
    publishedAt.set(edition.published_at / 1000)
    endBlock.set(edition.end_block)
    merchants.set(edition.merchants)
    payments.set(edition.tx)
  }
}

function json(body: unknown, status: 200 | 503): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
