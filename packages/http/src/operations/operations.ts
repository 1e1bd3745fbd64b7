import type { Logger } from 'pino'
import { Counter, type Registry } from 'prom-client'
import type { KeyAccess } from '../request/key-access.ts'
import { createDurationHistogram, type DurationSeries } from './duration-histogram.ts'
import { renderMetrics, shareRegistry } from './metrics-of-processes.ts'
import { registerProcessGauges } from './process-gauges.ts'
import { createReadiness, type ReadinessCheck, registerReadyGauge } from './readiness.ts'
import { createRequestLines } from './request-lines.ts'

/** What is recorded of a request: never its query, headers or body. */
export type RequestRecord = {
  /** Null when the path belongs to no endpoint. */
  readonly endpointId: string | null
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  readonly traceId: string
  /** Whether the answer was just sent to another caller: it is counted, but logged only at level debug. */
  readonly isRepeated?: boolean
}

/** Bounds in seconds: a challenge takes less than a millisecond, a metered model reply up to minutes. */
const DURATION_BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/** Counts and logs a request. */
export type RequestRecorder = (record: RequestRecord) => void

/** Returns the function that counts and logs every request: one line and two metrics. */
export function createRequestRecorder(logger: Logger, registry: Registry): RequestRecorder {
  // The series of each endpoint by status class; at most five.
  const known = new Map<string | null, DurationSeries[]>()
  new Counter({
    name: 'tollbook_http_requests_total',
    help: 'Requests answered, by endpoint and status class.',
    labelNames: ['endpoint', 'status_class'],
    registers: [registry],
    collect() {
      this.reset()
      for (const ofEndpoint of known.values())
        ofEndpoint.forEach(({ labels, count }) => {
          this.inc(labels, count)
        })
    },
  })
  const durations = createDurationHistogram(
    {
      name: 'tollbook_http_request_duration_seconds',
      help: 'Time from the request to the response headers.',
      bounds: DURATION_BOUNDS,
    },
    registry,
  )
  function seriesOf(endpointId: string | null, statusClass: number): DurationSeries {
    let ofEndpoint = known.get(endpointId)
    if (!ofEndpoint) {
      ofEndpoint = []
      known.set(endpointId, ofEndpoint)
    }
    let series = ofEndpoint[statusClass]
    if (!series) {
      series = durations.addSeries({ endpoint: endpointId ?? 'none', status_class: `${statusClass}xx` })
      ofEndpoint[statusClass] = series
    }
    return series
  }
  const writeLine = createRequestLines(logger)
  return ({ endpointId, status, durationMs, requestId, traceId, isRepeated = false }) => {
    seriesOf(endpointId, Math.floor(status / 100)).add(durationMs / 1000)
    const ms = Math.round(durationMs * 10) / 10
    if (isRepeated)
      logger.debug({ endpoint: endpointId, status, ms, request_id: requestId, trace_id: traceId }, 'request')
    else writeLine({ endpoint: endpointId, status, ms, requestId, traceId })
  }
}

type OperationsRequest = { readonly headers: Headers; readonly clientAddress: string }

const NOT_STORED = { 'cache-control': 'no-store' }

/** The metrics without those in dollars and those by endpoint, which show what is earned. */
function withoutSales(metrics: string): string {
  return metrics
    .split(/^(?=# HELP )/m)
    .filter((metric) => !/^# HELP \w*usdc|[{,]endpoint="/.test(metric))
    .join('')
}

/**
 * The operator's pages: liveness, readiness and metrics.
 * @param operator who sees the sales in the metrics; absent if nothing is sold
 */
export function buildOperations(
  registry: Registry,
  checks: readonly ReadinessCheck[],
  operator?: KeyAccess,
): Readonly<Record<string, (request: OperationsRequest) => Response | Promise<Response>>> {
  const askReadiness = createReadiness(checks)
  registerProcessGauges(registry)
  registerReadyGauge(registry, askReadiness)
  shareRegistry(registry)
  return {
    '/healthz': () => Response.json({ is_alive: true }, { headers: NOT_STORED }),
    '/readyz': async () => {
      const readiness = await askReadiness()
      return Response.json(readiness, { status: readiness.is_ready ? 200 : 503, headers: NOT_STORED })
    },
    '/metrics': async ({ headers, clientAddress }) => {
      const authorization = headers.get('authorization')
      const isWhole = !operator || operator.hasKey({ authorization, clientAddress })
      const metrics = await renderMetrics(registry)
      return new Response(isWhole ? metrics : withoutSales(metrics), {
        headers: { 'content-type': registry.contentType, ...NOT_STORED },
      })
    },
  }
}
