import { currentTrace, readTraceContext, type Trace, type Tracer, toTraceContext } from '@tollbook/flow/trace'
import type { ServedRequest } from '@tollbook/http/request/served-request'
import type { Endpoint } from '../endpoint.ts'

export type RequestTrace = Trace & {
  /** Called with the status of the answer, when its headers are known. */
  end(status: number): void
}

/**
 * Continues the trace of the request, or begins one, as a span of OpenTelemetry's conventions. Only endpoint paths are
 * recorded. @param requestId UUID; used as trace id if the request has no `traceparent`
 */
export function traceRequest(
  tracer: Tracer | undefined,
  { request, endpoint }: { readonly request: ServedRequest; readonly endpoint: Endpoint | null },
  { service, requestId }: { readonly service: string; readonly requestId: string },
): RequestTrace {
  const parent = request.inner ? (currentTrace()?.context ?? null) : readTraceContext(request.headers)
  if (!tracer) return { context: parent ?? toTraceContext(requestId), end: () => {} }
  const { method } = request
  const route = endpoint?.path
  const span = tracer.start(route ? `${method} ${route}` : method, parent, {
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'tollbook.service': service,
      ...(route !== undefined && { 'http.route': route }),
    },
  })
  return {
    context: span.context,
    tracer,
    end(status) {
      span.set('http.response.status_code', status)
      span.end(status >= 500)
    },
  }
}
