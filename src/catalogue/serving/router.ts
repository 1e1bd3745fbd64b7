import { randomUUID } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { buildPages } from '../documents/pages.ts'
import type { Endpoint, Method } from '../endpoint.ts'
import type { Exchange, Gate } from '../exchange.ts'
import { buildOperations, createRequestRecorder, type RequestRecorder } from '../operations/operations.ts'
import type { ReadinessCheck } from '../operations/readiness.ts'
import type { Page } from '../page.ts'
import { type Problem, ProblemError } from '../problem.ts'
import type { Offer } from '../routes/offer.ts'
import { groupByPath, type PathRoute } from '../routes/path-routes.ts'
import type { Service } from '../service.ts'
import type { SellerTerms } from '../terms.ts'
import { createClientAddressReader } from './client-address.ts'
import { cutOnFailure } from './live-answer.ts'
import { renderProblem, toProblem } from './problem-document.ts'
import type { RateLimiter } from './rate-limit.ts'
import { type Reply, toResponse } from './reply.ts'
import { preflightHeaders, withStandardHeaders } from './response-headers.ts'
import { serveFree, tooMany } from './serve-free.ts'
import { createExchange } from './service-exchange.ts'

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
  /** Further pages by Hono pattern, such as `/v1/receipts/:id`. */
  readonly pages?: Readonly<Record<string, Page>>
  /** Asked by `/readyz`. */
  readonly checks?: readonly ReadinessCheck[]
  /** Shown by `/metrics`; the gate may add its own metrics to it. */
  readonly registry?: Registry
  /** Default: one of the registry, which takes only one. */
  readonly record?: RequestRecorder
  readonly clock?: () => Date
}

type App = Hono<{ Bindings: Partial<HttpBindings> }>
type RequestContext = Context<{ Bindings: Partial<HttpBindings> }>
/** What answers a request once it has an id; pages answer with a response. */
type Respond = (requestId: string) => Reply | Response | Promise<Reply | Response>

/**
 * Builds the HTTP application of a service: every endpoint under its path, and what is derived from them.
 * A path is bound to its endpoints' values, so whatever way a request finds the path, it meets their gate.
 */
export function createServiceApp(options: ServiceAppOptions): App {
  const { service, gate, limiter, logger, registry = new Registry(), clock = () => new Date() } = options
  const record = options.record ?? createRequestRecorder(logger, registry)
  const readAddress = createClientAddressReader(options.trustedProxies ?? [])
  const app: App = new Hono()
  for (const route of groupByPath(service)) {
    app.all(route.pattern, (context) => {
      const offer = findOffer(route, context.req.method)
      return observe(offer?.endpoint ?? null, (requestId) => callPath(context, { route, offer, requestId }))
    })
  }
  const operations = buildOperations(registry, options.checks ?? [])
  const pages = { ...buildPages(service, options.seller, clock()), ...service.pages, ...options.pages }
  for (const [pattern, page] of Object.entries(operations)) addPage(pattern, page, false)
  for (const [pattern, page] of Object.entries(pages)) addPage(pattern, page, true)
  app.notFound(() => observe(null, (requestId) => refuse(notFound(service), null, requestId)))
  // Only what fails outside of `observe`, which is nothing that is known.
  app.onError((error) => observe(null, () => Promise.reject(error)))
  return app

  async function observe(endpoint: Endpoint | null, respond: Respond): Promise<Response> {
    const startedMs = performance.now()
    const requestId = randomUUID()
    let reply: Reply | Response
    try {
      reply = await respond(requestId)
    } catch (error) {
      if (!(error instanceof ProblemError)) logger.error({ err: error, request_id: requestId }, 'failed')
      reply = refuse(toProblem(error), endpoint, requestId)
    }
    const durationMs = performance.now() - startedMs
    record({ endpointId: endpoint?.id ?? null, status: reply.status, durationMs, requestId })
    return complete(reply, requestId, endpoint)
  }

  async function callPath(context: RequestContext, found: Found): Promise<Reply> {
    const { route, offer, requestId } = found
    const { method } = context.req
    if (method === 'OPTIONS') return preflight(route.allow, headersOf(route))
    const isFree = offer?.endpoint.pricing.kind === 'free'
    if (!offer || (method === 'HEAD' && isFree)) {
      return refuse(notAllowed(method, route.allow), offer?.endpoint ?? null, requestId)
    }
    const exchange = open(context, { route, offer, requestId })
    if (isFree) return guard(context, await serveFree(exchange, limiter))
    const reply = await gate.serve(exchange)
    return method === 'HEAD' ? withoutBody(reply) : guard(context, reply)
  }

  /** A reply whose failure, where it is written while it is read, is told by a cut. */
  function guard({ env }: RequestContext, reply: Reply): Reply {
    if (!(reply.body instanceof ReadableStream) || !env?.outgoing) return reply
    return { ...reply, body: cutOnFailure(reply.body, env.outgoing, logger) }
  }

  function open(context: RequestContext, { route, offer, requestId }: Opened): Exchange {
    const { raw, method } = context.req
    const { incoming, outgoing } = context.env ?? {}
    const addTrailer = (name: string, value: string) => outgoing?.addTrailers({ [name]: value })
    return createExchange({
      service,
      offer,
      request: method === 'HEAD' ? toProbe(raw) : raw,
      requestId,
      clientAddress: addressOf(context),
      pathParameters: route.pattern === route.path ? NO_PARAMETERS : context.req.param(),
      isBodyless: isBodyless(raw, incoming !== undefined),
      message: toMessage(incoming),
      clock,
      // Trailers need the chunks of HTTP/1.1 (RFC 9112 section 7.1.2).
      ...(incoming?.httpVersion === '1.1' && { addTrailer }),
    })
  }

  function addPage(pattern: string, page: Page, isLimited: boolean): void {
    app.all(pattern, (context) =>
      observe(null, async (requestId) => {
        const { method, url } = context.req
        if (method === 'OPTIONS') return preflight(PAGE_METHODS)
        if (method !== 'GET' && method !== 'HEAD') throw new ProblemError(notAllowed(method, PAGE_METHODS))
        const waitSeconds = isLimited ? limiter.take(addressOf(context)) : 0
        if (waitSeconds > 0) throw new ProblemError(tooMany(waitSeconds))
        const parameters = context.req.param()
        const { headers } = context.req.raw
        const response = await page({ url: new URL(url), parameters, requestId, method, headers })
        return method === 'HEAD' ? toHead(response) : response
      }),
    )
  }

  function addressOf(context: RequestContext): string {
    const socketAddress = context.env?.incoming?.socket.remoteAddress
    return readAddress(socketAddress, () => context.req.raw.headers.get('x-forwarded-for'))
  }

  function refuse(problem: Problem, endpoint: Endpoint | null, requestId: string): Reply {
    return renderProblem(problem, { baseUrl: service.baseUrl, dialect: endpoint?.dialect, requestId })
  }
}

type Found = { readonly route: PathRoute; readonly offer: Offer | null; readonly requestId: string }

type Opened = Found & { readonly offer: Offer }

const NO_PARAMETERS = {}
const PAGE_METHODS = 'GET, HEAD, OPTIONS'

/** HEAD finds the GET endpoint, whose challenge it is then given. */
function findOffer(route: PathRoute, method: string): Offer | null {
  return route.byMethod.get((method === 'HEAD' ? 'GET' : method) as Method) ?? null
}

function notFound(service: Service): Problem {
  return { code: 'not_found', detail: `No endpoint has this path; ${service.baseUrl}/ lists all.` }
}

function notAllowed(method: string, allow: string): Problem {
  return {
    code: 'method_not_allowed',
    detail: `${method} is not offered here; ${allow} are.`,
    headers: { allow },
  }
}

function preflight(allow: string, furtherHeaders: readonly string[] = []): Reply {
  return { status: 204, headers: preflightHeaders(allow, furtherHeaders), body: null }
}

/** Headers that carry arguments of what a path offers. */
function headersOf({ byMethod }: PathRoute): string[] {
  const names = [...byMethod.values()].flatMap(({ endpoint }) => Object.keys(endpoint.headerFields ?? {}))
  return [...new Set(names)]
}

/** Whether a request has no body for certain; a message from a socket would announce one (RFC 9112 section 6). */
function isBodyless(request: Request, isFromSocket: boolean): boolean {
  const { method, headers } = request
  if (method === 'GET' || method === 'HEAD' || headers.get('content-length') === '0') return true
  if (!isFromSocket) return request.body === null
  return !headers.has('content-length') && !headers.has('transfer-encoding')
}

/** A message of HTTP/1.1; those of HTTP/2 are read by the adapter. */
function toMessage(incoming: HttpBindings['incoming'] | undefined): IncomingMessage | undefined {
  return incoming instanceof IncomingMessage ? incoming : undefined
}

/** A request that can only be challenged: what would pay for it is gone, so no handler ever runs on HEAD. */
function toProbe(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.delete('payment-signature')
  headers.delete('sign-in-with-x')
  return new Request(request.url, { headers })
}

function withoutBody({ status, headers, body }: Reply): Reply {
  if (body instanceof ReadableStream) void body.cancel()
  return { status, headers, body: null }
}

/** The same of a page. */
function toHead(response: Response): Reply {
  void response.body?.cancel()
  return { status: response.status, headers: Object.fromEntries(response.headers), body: null }
}

/** Adds what every answer of the endpoint carries. */
function complete(reply: Reply | Response, requestId: string, endpoint: Endpoint | null): Response {
  if (!(reply instanceof Response)) {
    const { status, headers, body } = reply
    return toResponse({ status, headers: withStandardHeaders(headers, requestId, endpoint), body })
  }
  const standard = withStandardHeaders({}, requestId, endpoint)
  for (const name in standard) reply.headers.set(name, standard[name] ?? '')
  return reply
}
