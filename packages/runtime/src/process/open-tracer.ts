import type { TraceContext, Tracer } from '@tollbook/flow/trace'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Shutdown } from './shutdown.ts'

/** Exports traces by OTLP, in batches, lossy if the collector is slow; undefined, and no SDK, if unset. */
export async function openTracer(
  config: Pick<Config, 'TOLLBOOK_OTLP_URL' | 'TOLLBOOK_TRACE_PERCENT'>,
  logger: Logger,
  shutdown: Pick<Shutdown, 'onClose'>,
): Promise<Tracer | undefined> {
  const { TOLLBOOK_OTLP_URL: url, TOLLBOOK_TRACE_PERCENT: percent } = config
  if (url === undefined) return undefined
  const tracer = await createTracer(`${url}/v1/traces`, percent / 100)
  shutdown.onClose(() =>
    tracer.close().catch((error: unknown) => logger.warn({ err: error }, 'the last spans were not exported')),
  )
  return tracer
}

async function createTracer(url: string, ratio: number): Promise<Tracer> {
  const [api, sdk, resources, otlp] = await loadPackages()
  const exporter = new otlp.OTLPTraceExporter({ url })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'tollbook' }),
    // The same traces in every process; callers do not decide what is recorded.
    sampler: new sdk.TraceIdRatioBasedSampler(ratio),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('tollbook')
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    internal: api.SpanKind.INTERNAL,
  }
  function toParent({ traceId, spanId, isSampled, state }: TraceContext, isRemote: boolean) {
    const traceFlags = isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE
    const traceState = state === undefined ? undefined : api.createTraceState(state)
    return { traceId, spanId, traceFlags, isRemote, ...(traceState && { traceState }) }
  }
  return {
    start(name, parent, { kind = 'internal', attributes = {} } = {}) {
      const context = parent
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, toParent(parent, kind === 'server'))
        : api.ROOT_CONTEXT
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, context)
      const { traceId, spanId, traceFlags, traceState } = span.spanContext()
      return {
        context: {
          traceId,
          spanId,
          isSampled: (traceFlags & api.TraceFlags.SAMPLED) !== 0,
          state: traceState?.serialize() || undefined,
        },
        set: (attribute, value) => void span.setAttribute(attribute, value),
        end(hasFailed) {
          if (hasFailed) span.setStatus({ code: api.SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    close: () => provider.shutdown(),
  }
}

function loadPackages() {
  return Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
}
