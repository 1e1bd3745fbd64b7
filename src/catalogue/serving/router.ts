import { randomUUID } from 'node:crypto'
import { IncomingMessage, type ServerResponse } from 'node:http'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { runInTrace, type Tracer } from '../../flow/trace.ts'
import {
  buildOperations,
  createRequestRecorder,
  type RequestRecorder,
} from '../../http/operations/operations.ts'
import type { ReadinessCheck } from '../../http/operations/readiness.ts'
import type { Page } from '../../http/page.ts'
import { ProblemError } from '../../http/problem.ts'
import { cutOnFailure } from '../../http/reply/cut-on-failure.ts'
import { serveDocument } from '../../http/reply/document.ts'
import type { DocumentCache } from '../../http/reply/document-cache.ts'
import { createEndTogether } from '../../http/reply/end-together.ts'
import { toProblem } from '../../http/reply/problem-document.ts'
import { fromResponse, type Reply, toResponse } from '../../http/reply/reply.ts'
import { writeReply } from '../../http/reply/write-reply.ts'
import { createClientAddressReader } from '../../http/request/client-address.ts'
import type { KeyAccess } from '../../http/request/key-access.ts'
import { MessageRequest } from '../../http/request/message-request.ts'
import { type RateLimiter, tooMany } from '../../http/request/rate-limit.ts'
import { dropUnread } from '../../http/request/request-body.ts'
import {
  AdaptedRequest,
  type AppBindings,
  type ServedRequest,
  toProbe,
} from '../../http/request/served-request.ts'
import type { Answering } from '../../http/server/route-hosts.ts'
import type { Endpoint, Method } from '../endpoint.ts'
import type { Gate } from '../exchange.ts'
import type { McpServer } from '../mcp/mcp-server.ts'
import { buildPages } from '../pages.ts'
import { type MatchedPath, MatchedPaths } from '../routes/matched-paths.ts'
import type { Offer } from '../routes/offer.ts'
import { groupByPath, type PathRoute, readPathParameters } from '../routes/path-routes.ts'
import { MCP_PATH, type Service } from '../service.ts'
import type { SellerTerms } from '../terms.ts'
import { toProblemReply } from './problem-reply.ts'
import { preflightHeaders, withStandardHeaders } from './response-headers.ts'
import { serveFree } from './serve-free.ts'
import { ServiceExchange } from './service-exchange.ts'
import { traceRequest } from './trace-request.ts'

export type ServiceAppOptions = {
  readonly service: Service<string>
  /** Serves paid endpoints; absent if all are free. */
  readonly gate?: Gate
  /** The seller's payment data, as its documents show it; absent if all endpoints are free. */
  readonly seller?: SellerTerms
  readonly logger: Logger
  /** Rate limiter of free endpoints; the gate uses the same one for its challenges. */
  readonly limiter: RateLimiter
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is trusted; default none. */
  readonly trustedProxies?: readonly string[]
  /** Checks that `/readyz` runs. */
  readonly checks?: readonly ReadinessCheck[]
  /** Metrics that `/metrics` shows; the gate may add its own. */
  readonly registry?: Registry
  /** To whom `/metrics` shows what is sold; absent if nothing is. */
  readonly operator?: KeyAccess
  /** Default: one of the registry, which accepts only one. */
  readonly record?: RequestRecorder
  /** Caches the documents that free endpoints answer with; default none. */
  readonly documents?: DocumentCache
  /** Records a span of each request; default none. */
  readonly tracer?: Tracer | undefined
  readonly clock?: () => Date
}

type App = Hono<{ Bindings: AppBindings }>
export type ServiceApp = App & Required<Answering>

/**
 * The HTTP application of a service: endpoints by path, behind their gate, and documents.
 * @throws RangeError when an endpoint is paid and there is no gate.
 */
export function createServiceApp(options: ServiceAppOptions): ServiceApp {
  const { gate, limiter, logger, tracer, registry = new Registry(), clock = () => new Date() } = options
  // Only the gate reads the name, and a service without a gate sells nothing.
  const service = options.service as Service
  const paid = service.endpoints.find(({ pricing }) => pricing.kind !== 'free')
  if (paid && !gate) throw new RangeError(`${paid.id} is paid, and there is no gate`)
  const record = options.record ?? createRequestRecorder(logger, registry)
  const readAddress = createClientAddressReader(options.trustedProxies ?? [])
  const endTogether = createEndTogether()
  const app: App = new Hono()
  const paths = new MatchedPaths()
  for (const route of groupByPath(service)) {
    if (route.pattern === route.path) paths.addLiteral(route)
    app.all(route.pattern, async (context) => send(context, route))
  }
  const operations = buildOperations(registry, options.checks ?? [], options.operator)
  const pages = { ...buildPages(service, options.seller, clock()), ...service.pages }
  for (const [pattern, page] of Object.entries(operations)) addPage(pattern, page, true)
  for (const [pattern, page] of Object.entries(pages)) addPage(pattern, page, false)
  if (service.tools) addMcp()
  app.notFound(async ({ req, env }) => {
    const request = new AdaptedRequest(req.raw, env)
    return toResponse(await observe({ request, endpoint: null }, () => Promise.reject(notFound(service))))
  })
  // Reached only by failures outside of `observe`; none is known.
  app.onError(async (error, { req }) => {
    const request = new AdaptedRequest(req.raw)
    return toResponse(await observe({ request, endpoint: null }, () => Promise.reject(error)))
  })
  return Object.assign(app, { answer })

  /** Answers the common case, a known path of endpoints, without the adapter's requests and responses. */
  function answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const request = MessageRequest.read(incoming, outgoing)
    const matched = request && paths.find(request.path)
    if (!request || !matched?.route.byMethod.has(request.method as Method)) return false
    void writeReply(outgoing, serve(request, matched), { endTogether, logger })
    return true
  }

  /** The same through the HTTP adapter. A reply whose writing fails cuts its connection. */
  async function send(context: Context<{ Bindings: AppBindings }>, route: PathRoute): Promise<Response> {
    const request = new AdaptedRequest(context.req.raw, context.env)
    const { incoming, outgoing } = request
    const matched = { route, pathParameters: readPathParameters(route, context.req.param()) }
    if (incoming instanceof IncomingMessage && route.pattern !== route.path) {
      const [path = ''] = (incoming.url ?? '').split('?', 1)
      paths.remember(path, matched)
    }
    const reply = await serve(request, matched)
    if (!outgoing || !(reply.body instanceof ReadableStream)) return toResponse(reply)
    return toResponse({ ...reply, body: cutOnFailure(reply.body, outgoing, logger) })
  }

  /** Counts and logs an answer, adds headers, and converts errors to problems. */
  async function observe(target: Target, respond: (requestId: string) => Promise<Reply>): Promise<Reply> {
    const { endpoint, isHealthCheck } = target
    const startedMs = performance.now()
    const requestId = randomUUID()
    const trace = traceRequest(isHealthCheck ? undefined : tracer, target, {
      service: service.name,
      requestId,
    })
    let reply: Reply
    try {
      reply = await runInTrace(trace, () => respond(requestId))
    } catch (error) {
      if (!(error instanceof ProblemError)) logger.error({ err: error, request_id: requestId }, 'failed')
      reply = await toProblemReply(toProblem(error), { service, ...target, requestId })
    }
    const durationMs = performance.now() - startedMs
    const { status, isRepeated = false } = reply
    if (!isHealthCheck)
      record({
        endpointId: endpoint?.id ?? null,
        status,
        durationMs,
        requestId,
        traceId: trace.context.traceId,
        isRepeated,
      })
    trace.end(status)
    return { ...reply, headers: withStandardHeaders(reply.headers, requestId, endpoint) }
  }

  function serve(request: ServedRequest, { route, pathParameters }: MatchedPath): Promise<Reply> {
    const { method, incoming } = request
    const offer = findOffer(route, method)
    return observe({ request, endpoint: offer?.endpoint ?? null }, async (requestId) => {
      if (method === 'OPTIONS') return preflight(route.allow, headersOf(route))
      if (!offer) throw notAllowed(method, route.allow)
      const isFree = offer.endpoint.pricing.kind === 'free'
      const exchange = new ServiceExchange({
        service,
        offer,
        offerAt: (path) => paths.find(path)?.route.byMethod.get(offer.endpoint.method),
        request: method === 'HEAD' && !isFree ? toProbe(request) : request,
        pathParameters,
        requestId,
        clientAddress: addressOf(request),
        clock,
      })
      try {
        const reply = isFree
          ? await serveFree(exchange, { limiter, documents: options.documents })
          : await gate?.serve(exchange)
        if (!reply) throw new TypeError('unreachable: the gate of a paid endpoint is checked at the start')
        return method === 'HEAD' ? withoutBody(reply) : reply
      } finally {
        if (incoming instanceof IncomingMessage) dropUnread(incoming)
      }
    })
  }

  function addPage(pattern: string, page: Page, isHealthCheck: boolean): void {
    app.all(pattern, async (context) => {
      const request = new AdaptedRequest(context.req.raw, context.env)
      const { method, url, headers } = request
      const reply = await observe({ request, endpoint: null, isHealthCheck }, async (requestId) => {
        if (method === 'OPTIONS') return preflight(PAGE_METHODS)
        if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, PAGE_METHODS)
        const waitSeconds = isHealthCheck ? 0 : limiter.take(addressOf(request))
        if (waitSeconds > 0) throw new ProblemError(tooMany(waitSeconds))
        const parameters = context.req.param()
        const clientAddress = addressOf(request)
        const answer = await page({
          url: new URL(url),
          parameters,
          requestId,
          method,
          headers,
          clientAddress,
        })
        const reply = answer instanceof Response ? fromResponse(answer) : await serveDocument(request, answer)
        return method === 'HEAD' ? withoutBody(reply) : reply
      })
      return toResponse(reply)
    })
  }

  function addMcp(): void {
    let server: Promise<McpServer> | undefined
    app.all(MCP_PATH, async ({ req, env }) => {
      const request = new AdaptedRequest(req.raw, env)
      const reply = await observe({ request, endpoint: null }, async () => {
        if (request.method === 'OPTIONS') return preflight(MCP_METHODS, MCP_HEADERS)
        if (request.method !== 'POST') throw notAllowed(request.method, MCP_METHODS)
        // The SDK takes 80 ms and 11 MB.
        server ??= import('../mcp/mcp-server.ts').then(({ createMcpServer }) =>
          createMcpServer({ service, limiter, logger, fetch: app.fetch }),
        )
        return (await server)(request, addressOf(request))
      })
      if (request.incoming instanceof IncomingMessage) dropUnread(request.incoming)
      return toResponse(reply)
    })
  }

  function addressOf({ headers, incoming, inner }: ServedRequest): string {
    if (inner) return inner.clientAddress
    return readAddress(incoming?.socket.remoteAddress, () => headers.get('x-forwarded-for'))
  }
}

type Target = {
  readonly request: ServedRequest
  /** Null if the path is not an endpoint's. */
  readonly endpoint: Endpoint | null
  /** Health checks are regular: they are neither rate-limited nor recorded. */
  readonly isHealthCheck?: boolean
}

const PAGE_METHODS = 'GET, HEAD, OPTIONS'
/** Without sessions there is nothing to GET or DELETE. */
const MCP_METHODS = 'POST, OPTIONS'
const MCP_HEADERS = ['Mcp-Protocol-Version', 'Mcp-Session-Id', 'Mcp-Method', 'Mcp-Name']

/** HEAD finds the GET endpoint: a free one answers without a body, a paid one with its challenge. */
function findOffer(route: PathRoute, method: string): Offer | null {
  return route.byMethod.get((method === 'HEAD' ? 'GET' : method) as Method) ?? null
}

function notFound({ baseUrl }: Pick<Service, 'baseUrl'>): ProblemError {
  const detail = `No endpoint has this path; see ${baseUrl}/llms.txt for all endpoints.`
  return new ProblemError({ code: 'not_found', detail })
}

function notAllowed(method: string, allow: string): ProblemError {
  const detail = `Method ${method} is not allowed here (allowed: ${allow}).`
  return new ProblemError({ code: 'method_not_allowed', detail, headers: { allow } })
}

function preflight(allow: string, furtherHeaders: readonly string[] = []): Reply {
  return { status: 204, headers: preflightHeaders(allow, furtherHeaders), body: null }
}

function headersOf({ byMethod }: PathRoute): string[] {
  const names = [...byMethod.values()].flatMap(({ endpoint }) => Object.keys(endpoint.headerFields ?? {}))
  return [...new Set(names)]
}

function withoutBody(reply: Reply): Reply {
  // Nobody waits for a source that fails while it is closed.
  if (reply.body instanceof ReadableStream) reply.body.cancel().catch(() => {})
  return { ...reply, body: null }
}
