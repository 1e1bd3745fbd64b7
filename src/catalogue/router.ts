import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { createClientAddressReader } from './client-address.ts'
import type { Endpoint, Method } from './endpoint.ts'
import type { Exchange, Gate } from './exchange.ts'
import { createRequestRecorder } from './operations.ts'
import { groupByPath, type Offer, type PathRoute } from './path-routes.ts'
import { type Problem, ProblemError } from './problem.ts'
import { renderProblem, toProblem } from './problem-document.ts'
import type { RateLimiter } from './rate-limit.ts'
import { preflightHeaders, setStandardHeaders } from './response-headers.ts'
import { serveFree } from './serve-free.ts'
import type { Service } from './service.ts'
import { createExchange } from './service-exchange.ts'
import type { SellerTerms } from './terms.ts'

/** Something that must work before the service counts as ready. */
export type ReadinessCheck = {
  readonly name: string
  readonly check: () => Promise<{ readonly isHealthy: boolean; readonly detail: string }>
}

export type ServiceAppOptions = {
  readonly service: Service
  /** Serves paid endpoints. */
  readonly gate: Gate
  /** Where and how the service is paid, as its documents say it. */
  readonly seller: SellerTerms
  readonly logger: Logger
  /** Guards free endpoints; the gate is given the same one for its challenges. */
  readonly limiter: RateLimiter
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is believed; default none. */
  readonly trustedProxies?: readonly string[]
  /** Asked by `/readyz`. */
  readonly checks?: readonly ReadinessCheck[]
  /** Shown by `/metrics`; the gate may add its own metrics to it. */
  readonly registry?: Registry
  readonly clock?: () => Date
}

type App = Hono<{ Bindings: Partial<HttpBindings> }>
type RequestContext = Context<{ Bindings: Partial<HttpBindings> }>

/**
 * Builds the HTTP application of a service: every endpoint under its path, and what is derived from them.
 * A path is bound to its endpoints' values, so whatever way a request finds the path, it meets their gate.
 */
export function createServiceApp(options: ServiceAppOptions): App {
  const { service, gate, limiter, logger, registry = new Registry(), clock = () => new Date() } = options
  const record = createRequestRecorder(logger, registry)
  const readAddress = createClientAddressReader(options.trustedProxies ?? [])
  const app: App = new Hono()
  for (const route of groupByPath(service.endpoints)) {
    app.all(route.pattern, (context) => answer(context, route))
  }
  app.notFound((context) => answer(context, null))
  return app

  async function answer(context: RequestContext, route: PathRoute | null): Promise<Response> {
    const startedMs = performance.now()
    const requestId = randomUUID()
    const offer = route && findOffer(route, context.req.method)
    const endpoint = offer?.endpoint ?? null
    let response: Response
    try {
      response = await respond(context, { route, offer, requestId })
    } catch (error) {
      if (!(error instanceof ProblemError)) logger.error({ err: error, request_id: requestId }, 'failed')
      response = refuse(toProblem(error), endpoint, requestId)
    }
    setStandardHeaders(response.headers, requestId, endpoint)
    const durationMs = performance.now() - startedMs
    record({ endpointId: endpoint?.id ?? null, status: response.status, durationMs, requestId })
    return response
  }

  async function respond(context: RequestContext, found: Found): Promise<Response> {
    const { route, offer, requestId } = found
    const { method } = context.req
    if (!route) return refuse(notFound(service), null, requestId)
    if (method === 'OPTIONS')
      return new Response(null, { status: 204, headers: preflightHeaders(route.allow) })
    const isFree = offer?.endpoint.pricing.kind === 'free'
    if (!offer || (method === 'HEAD' && isFree)) {
      return refuse(notAllowed(method, route), offer?.endpoint ?? null, requestId)
    }
    if (method === 'HEAD') return withoutBody(await gate.serve(open(context, offer, requestId)))
    const exchange = open(context, offer, requestId)
    return isFree ? serveFree(exchange, limiter) : gate.serve(exchange)
  }

  function open(context: RequestContext, offer: Offer, requestId: string): Exchange {
    const incoming = context.env?.incoming
    const { headers } = context.req.raw
    const isHead = context.req.method === 'HEAD'
    const isRead = isHead || context.req.method === 'GET'
    const declaresBody = headers.has('content-length') || headers.has('transfer-encoding')
    return createExchange({
      service,
      offer,
      request: isHead ? toProbe(context.req.raw) : context.req.raw,
      requestId,
      clientAddress: readAddress(incoming?.socket.remoteAddress, headers.get('x-forwarded-for')),
      pathParameters: context.req.param(),
      isBodyless:
        isRead || headers.get('content-length') === '0' || (incoming !== undefined && !declaresBody),
      clock,
    })
  }

  function refuse(problem: Problem, endpoint: Endpoint | null, requestId: string): Response {
    return renderProblem(problem, { baseUrl: service.baseUrl, dialect: endpoint?.dialect, requestId })
  }
}

type Found = { readonly route: PathRoute | null; readonly offer: Offer | null; readonly requestId: string }

/** HEAD finds the GET endpoint, whose challenge it is then given. */
function findOffer(route: PathRoute, method: string): Offer | null {
  return route.byMethod.get((method === 'HEAD' ? 'GET' : method) as Method) ?? null
}

function notFound(service: Service): Problem {
  return { code: 'not_found', detail: `No endpoint has this path; ${service.baseUrl}/ lists all.` }
}

function notAllowed(method: string, route: PathRoute): Problem {
  return {
    code: 'method_not_allowed',
    detail: `${method} is not offered here; ${route.allow} are.`,
    headers: { allow: route.allow },
  }
}

/** A request that can only be challenged: what would pay for it is gone, so no handler ever runs on HEAD. */
function toProbe(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.delete('payment-signature')
  headers.delete('sign-in-with-x')
  return new Request(request.url, { headers })
}

function withoutBody(response: Response): Response {
  void response.body?.cancel()
  return new Response(null, { status: response.status, headers: response.headers })
}
