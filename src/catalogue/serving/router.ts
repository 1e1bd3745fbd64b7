import { randomUUID } from 'node:crypto'
import { IncomingMessage, type ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import {
  buildOperations,
  createRequestRecorder,
  type RequestRecorder,
} from '../../http/operations/operations.ts'
import type { ReadinessCheck } from '../../http/operations/readiness.ts'
import type { Page } from '../../http/page.ts'
import { type Problem, ProblemError } from '../../http/problem.ts'
import { cutOnFailure } from '../../http/reply/cut-on-failure.ts'
import { createEndTogether } from '../../http/reply/end-together.ts'
import { renderProblem, toProblem } from '../../http/reply/problem-document.ts'
import { type Reply, toResponse } from '../../http/reply/reply.ts'
import { writeReply } from '../../http/reply/write-reply.ts'
import { createClientAddressReader } from '../../http/request/client-address.ts'
import { type AskedRequest, MessageRequest } from '../../http/request/message-request.ts'
import { type RateLimiter, tooMany } from '../../http/request/rate-limit.ts'
import { type BodySource, dropUnread } from '../../http/request/request-body.ts'
import type { Answering } from '../../http/server/route-hosts.ts'
import { buildPages } from '../documents/pages.ts'
import type { Endpoint, Method } from '../endpoint.ts'
import type { Exchange, Gate } from '../exchange.ts'
import type { Offer } from '../routes/offer.ts'
import { groupByPath, type PathRoute } from '../routes/path-routes.ts'
import type { Service } from '../service.ts'
import type { SellerTerms } from '../terms.ts'
import { preflightHeaders, withStandardHeaders } from './response-headers.ts'
import { serveFree } from './serve-free.ts'
import { ServiceExchange } from './service-exchange.ts'

export type ServiceAppOptions = {
  readonly service: Service
  /** Serves paid endpoints. */
  readonly gate: Gate
  /** The seller's payment data, as its documents show it. */
  readonly seller: SellerTerms
  readonly logger: Logger
  /** Rate limiter of free endpoints; the gate uses the same one for its challenges. */
  readonly limiter: RateLimiter
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is trusted; default none. */
  readonly trustedProxies?: readonly string[]
  /** Additional pages by Hono pattern, such as `/v1/receipts/:id`. */
  readonly pages?: Readonly<Record<string, Page>>
  /** Checks that `/readyz` runs. */
  readonly checks?: readonly ReadinessCheck[]
  /** Metrics that `/metrics` shows; the gate may add its own. */
  readonly registry?: Registry
  /** Default: one of the registry, which accepts only one. */
  readonly record?: RequestRecorder
  readonly clock?: () => Date
}

type App = Hono<{ Bindings: Partial<HttpBindings> }>
export type ServiceApp = App & Required<Answering>
type RequestContext = Context<{ Bindings: Partial<HttpBindings> }>

/**
 * Builds the HTTP application of a service: every endpoint under its path, and the documents derived from
 * them. A path is bound to its endpoints, so that a request reaches their gate however its path was matched.
 */
export function createServiceApp(options: ServiceAppOptions): ServiceApp {
  const { service, gate, limiter, logger, registry = new Registry(), clock = () => new Date() } = options
  const record = options.record ?? createRequestRecorder(logger, registry)
  const readAddress = createClientAddressReader(options.trustedProxies ?? [])
  const endTogether = createEndTogether()
  const app: App = new Hono()
  /** Routes whose path is literal. */
  const fixed = new Map<string, PathRoute>()
  for (const route of groupByPath(service)) {
    if (route.pattern === route.path) fixed.set(route.path, route)
    app.all(route.pattern, async (context) => {
      const asked = toAsked(context, route)
      const reply = await serve(asked, route)
      return toResponse(asked.outgoing ? guard(reply, asked.outgoing) : reply)
    })
  }
  const operations = buildOperations(registry, options.checks ?? [])
  const pages = { ...buildPages(service, options.seller, clock()), ...service.pages, ...options.pages }
  for (const [pattern, page] of Object.entries(operations)) addPage(pattern, page, false)
  for (const [pattern, page] of Object.entries(pages)) addPage(pattern, page, true)
  app.notFound(async () =>
    toResponse(await observe(null, (requestId) => refuse(notFound(service), null, requestId))),
  )
  // Reached only by failures outside of `observe`; none is known.
  app.onError(async (error) => toResponse(await observe(null, () => Promise.reject<Reply>(error))))
  return Object.assign(app, { answer })

  /** Answers the common case, an endpoint by its own path, without the adapter's requests and responses. */
  function answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const request = MessageRequest.read(incoming, outgoing)
    if (!request) return false
    const route = fixed.get(request.path)
    if (!route?.byMethod.has(request.method as Method)) return false
    const reply = serve({ request, incoming, outgoing, pathParameters: NO_PARAMETERS }, route)
    void writeReply(outgoing, reply, { endTogether, logger })
    return true
  }

  /**
   * Counts and logs the answer of a request, adds the headers of every answer, and converts errors to
   * problems.
   */
  async function observe<Answered extends Reply | Response>(
    endpoint: Endpoint | null,
    respond: (requestId: string) => Answered | Promise<Answered>,
  ): Promise<Answered | Reply> {
    const startedMs = performance.now()
    const requestId = randomUUID()
    let reply: Answered | Reply
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

  function serve(asked: Asked, route: PathRoute): Promise<Reply> {
    const offer = findOffer(route, asked.request.method)
    return observe(offer?.endpoint ?? null, (requestId) => callPath(asked, { route, offer, requestId }))
  }

  async function callPath(asked: Asked, { route, offer, requestId }: Found): Promise<Reply> {
    const { method } = asked.request
    if (method === 'OPTIONS') return preflight(route.allow, headersOf(route))
    const isFree = offer?.endpoint.pricing.kind === 'free'
    if (!offer || (method === 'HEAD' && isFree)) {
      return refuse(notAllowed(method, route.allow), offer?.endpoint ?? null, requestId)
    }
    const exchange = open(asked, offer, requestId)
    try {
      if (isFree) return await serveFree(exchange, limiter)
      const reply = await gate.serve(exchange)
      return method === 'HEAD' ? withoutBody(reply) : reply
    } finally {
      if (asked.incoming instanceof IncomingMessage) dropUnread(asked.incoming)
    }
  }

  /** A reply whose connection is cut if writing it fails. */
  function guard(reply: Reply, outgoing: HttpBindings['outgoing']): Reply {
    if (!(reply.body instanceof ReadableStream)) return reply
    return { ...reply, body: cutOnFailure(reply.body, outgoing, logger) }
  }

  function open(asked: Asked, offer: Offer, requestId: string): Exchange {
    const { request, incoming, outgoing, pathParameters } = asked
    const addTrailer = (name: string, value: string) => outgoing?.addTrailers({ [name]: value })
    return new ServiceExchange({
      service,
      offer,
      request: request.method === 'HEAD' ? toProbe(request) : request,
      requestId,
      clientAddress: addressOf(asked),
      pathParameters,
      body: findBody(asked),
      clock,
      // Trailers need the chunks of HTTP/1.1 (RFC 9112 section 7.1.2).
      ...(incoming?.httpVersion === '1.1' && { addTrailer }),
    })
  }

  function addPage(pattern: string, page: Page, isLimited: boolean): void {
    app.all(pattern, async (context) => {
      const { method, url, raw } = context.req
      const answered = await observe<Reply | Response>(null, async (requestId) => {
        if (method === 'OPTIONS') return preflight(PAGE_METHODS)
        if (method !== 'GET' && method !== 'HEAD') throw new ProblemError(notAllowed(method, PAGE_METHODS))
        const client = () => addressOf({ request: raw, incoming: context.env?.incoming })
        const waitSeconds = isLimited ? limiter.take(client()) : 0
        if (waitSeconds > 0) throw new ProblemError(tooMany(waitSeconds))
        const parameters = context.req.param()
        const response = await page({
          url: new URL(url),
          parameters,
          requestId,
          method,
          headers: raw.headers,
        })
        return method === 'HEAD' ? toHead(response) : response
      })
      return answered instanceof Response ? answered : toResponse(answered)
    })
  }

  function addressOf({ request, incoming }: Pick<Asked, 'request' | 'incoming'>): string {
    return readAddress(incoming?.socket.remoteAddress, () => request.headers.get('x-forwarded-for'))
  }

  function refuse(problem: Problem, endpoint: Endpoint | null, requestId: string): Reply {
    return renderProblem(problem, { baseUrl: service.baseUrl, dialect: endpoint?.dialect, requestId })
  }
}

/** A request with its connection; a program that calls `fetch` has no socket. */
type Asked = {
  readonly request: AskedRequest
  readonly incoming?: HttpBindings['incoming'] | undefined
  readonly outgoing?: HttpBindings['outgoing'] | undefined
  readonly pathParameters: Readonly<Record<string, string>>
  /** The same request of the HTTP adapter, if it came through the adapter. */
  readonly adapted?: Request
}

type Found = { readonly route: PathRoute; readonly offer: Offer | null; readonly requestId: string }

const NO_PARAMETERS = {}
const PAGE_METHODS = 'GET, HEAD, OPTIONS'

/** HEAD finds the GET endpoint and gets its challenge. */
function findOffer(route: PathRoute, method: string): Offer | null {
  return route.byMethod.get((method === 'HEAD' ? 'GET' : method) as Method) ?? null
}

function notFound(service: Service): Problem {
  return {
    code: 'not_found',
    detail: `No endpoint has this path; see ${service.baseUrl}/ for all endpoints.`,
  }
}

function notAllowed(method: string, allow: string): Problem {
  return {
    code: 'method_not_allowed',
    detail: `Method ${method} is not allowed here (allowed: ${allow}).`,
    headers: { allow },
  }
}

function preflight(allow: string, furtherHeaders: readonly string[] = []): Reply {
  return { status: 204, headers: preflightHeaders(allow, furtherHeaders), body: null }
}

/** Headers that carry arguments of the path's endpoints. */
function headersOf({ byMethod }: PathRoute): string[] {
  const names = [...byMethod.values()].flatMap(({ endpoint }) => Object.keys(endpoint.headerFields ?? {}))
  return [...new Set(names)]
}

function toAsked(context: RequestContext, route: PathRoute): Asked {
  const { raw } = context.req
  const pathParameters = route.pattern === route.path ? NO_PARAMETERS : context.req.param()
  return { request: raw, adapted: raw, pathParameters, ...context.env }
}

/** The source of a request's body; null if it certainly has none (RFC 9112 section 6). */
function findBody({ request: { method, headers }, incoming, adapted }: Asked): BodySource | null {
  if (method === 'GET' || method === 'HEAD' || headers.get('content-length') === '0') return null
  if (incoming && !headers.has('content-length') && !headers.has('transfer-encoding')) return null
  // The adapter reads HTTP/2 messages.
  return incoming instanceof IncomingMessage ? incoming : (adapted?.body ?? null)
}

/**
 * A request that can only be challenged: its payment headers are removed, so no handler ever runs on HEAD.
 */
function toProbe({ url, headers, signal }: AskedRequest): AskedRequest {
  const get = (name: string) => (PAYING_HEADERS.has(name.toLowerCase()) ? null : headers.get(name))
  return { method: 'GET', url, headers: { get, has: (name) => get(name) !== null }, signal }
}

const PAYING_HEADERS: ReadonlySet<string> = new Set(['payment-signature', 'sign-in-with-x'])

function withoutBody({ status, headers, body }: Reply): Reply {
  if (body instanceof ReadableStream) void body.cancel()
  return { status, headers, body: null }
}

/** The same for a page. */
function toHead(response: Response): Reply {
  void response.body?.cancel()
  return { status: response.status, headers: Object.fromEntries(response.headers), body: null }
}

/** Adds the headers of every answer of the endpoint. */
function complete<Answered extends Reply | Response>(
  reply: Answered,
  requestId: string,
  endpoint: Endpoint | null,
): Answered {
  if (!(reply instanceof Response)) {
    return { ...reply, headers: withStandardHeaders(reply.headers, requestId, endpoint) }
  }
  const standard = withStandardHeaders({}, requestId, endpoint)
  for (const name in standard) reply.headers.set(name, standard[name] ?? '')
  return reply
}
