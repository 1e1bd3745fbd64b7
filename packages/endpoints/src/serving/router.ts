import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Tracer } from '@tollbook/flow/trace'
import type { Gate } from '@tollbook/gate/contract/exchange'
import type { SellerTerms } from '@tollbook/gate/contract/terms'
import {
  buildOperations,
  createRequestRecorder,
  type RequestRecorder,
} from '@tollbook/http/operations/operations'
import type { ReadinessCheck } from '@tollbook/http/operations/readiness'
import type { Page } from '@tollbook/http/page'
import { ProblemError } from '@tollbook/http/problem'
import { cutOnFailure } from '@tollbook/http/reply/cut-on-failure'
import { serveDocument } from '@tollbook/http/reply/document'
import type { DocumentCache } from '@tollbook/http/reply/document-cache'
import { createEndTogether } from '@tollbook/http/reply/end-together'
import { fromResponse, type Reply, toResponse } from '@tollbook/http/reply/reply'
import { writeReply } from '@tollbook/http/reply/write-reply'
import { createClientAddressReader } from '@tollbook/http/request/client-address'
import type { KeyAccess } from '@tollbook/http/request/key-access'
import { MessageRequest } from '@tollbook/http/request/message-request'
import { type RateLimiter, tooMany } from '@tollbook/http/request/rate-limit'
import { dropUnread } from '@tollbook/http/request/request-body'
import {
  AdaptedRequest,
  type AppBindings,
  type ServedRequest,
  toProbe,
} from '@tollbook/http/request/served-request'
import type { Answering } from '@tollbook/http/server/route-hosts'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { Method } from '../endpoint.ts'
import type { McpServer } from '../mcp/mcp-server.ts'
import { buildPages } from '../pages.ts'
import { type MatchedPath, MatchedPaths } from '../routes/matched-paths.ts'
import type { Offer } from '../routes/offer.ts'
import { groupByPath, type PathRoute, readPathParameters } from '../routes/path-routes.ts'
import { MCP_PATH, type Service } from '../service.ts'
import { RequestObserver } from './request-observer.ts'
import { preflightHeaders } from './response-headers.ts'
import { serveFree } from './serve-free.ts'
import { ServiceExchange } from './service-exchange.ts'

export type ServiceAppOptions = {
  readonly service: Service
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
  const { gate, logger, registry = new Registry(), clock = () => new Date() } = options
  // Only the gate reads the name, and a service without a gate sells nothing.
  const service = options.service as Service
  const paid = service.endpoints.find(({ pricing }) => pricing.kind !== 'free')
  if (paid && !gate) throw new RangeError(`${paid.id} is paid, and there is no gate`)
  const record = options.record ?? createRequestRecorder(logger, registry)
  const observer = new RequestObserver(service, logger, record, options.tracer)
  const router = new ServiceRouter({ ...options, service, clock }, observer)
  for (const route of groupByPath(service)) router.addRoute(route)
  const operations = buildOperations(registry, options.checks ?? [], options.operator)
  const pages = { ...buildPages(service, options.seller, clock()), ...service.pages }
  for (const [pattern, page] of Object.entries(operations)) router.addPage(pattern, page, true)
  for (const [pattern, page] of Object.entries(pages)) router.addPage(pattern, page, false)
  if (service.tools) router.addMcp()
  router.addFailures()
  return Object.assign(router.app, {
    answer: (incoming: IncomingMessage, outgoing: ServerResponse) => router.answer(incoming, outgoing),
  })
}

type RouterOptions = Pick<
  ServiceAppOptions,
  'gate' | 'limiter' | 'logger' | 'documents' | 'trustedProxies'
> & { readonly service: Service; readonly clock: () => Date }

class ServiceRouter {
  readonly app: App = new Hono()
  readonly #options: RouterOptions
  readonly #observer: RequestObserver
  readonly #paths = new MatchedPaths()
  readonly #endTogether = createEndTogether()
  readonly #readAddress: ReturnType<typeof createClientAddressReader>

  constructor(options: RouterOptions, observer: RequestObserver) {
    this.#options = options
    this.#observer = observer
    this.#readAddress = createClientAddressReader(options.trustedProxies ?? [])
  }

  addRoute(route: PathRoute): void {
    if (route.pattern === route.path) this.#paths.addLiteral(route)
    this.app.all(route.pattern, async (context) => this.#send(context, route))
  }

  addPage(pattern: string, page: Page, isHealthCheck: boolean): void {
    this.app.all(pattern, async (context) => {
      const request = new AdaptedRequest(context.req.raw, context.env)
      const { method, url, headers } = request
      const reply = await this.#observer.observe(
        { request, endpoint: null, isHealthCheck },
        async (requestId) => {
          if (method === 'OPTIONS') return preflight(PAGE_METHODS)
          if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, PAGE_METHODS)
          const clientAddress = this.#addressOf(request)
          const waitSeconds = isHealthCheck ? 0 : this.#options.limiter.take(clientAddress)
          if (waitSeconds > 0) throw new ProblemError(tooMany(waitSeconds))
          const parameters = context.req.param()
          const answer = await page({
            url: new URL(url),
            parameters,
            requestId,
            method,
            headers,
            clientAddress,
          })
          const reply =
            answer instanceof Response ? fromResponse(answer) : await serveDocument(request, answer)
          return method === 'HEAD' ? withoutBody(reply) : reply
        },
      )
      return toResponse(reply)
    })
  }

  addMcp(): void {
    const { service, limiter, logger } = this.#options
    const { app } = this
    let server: Promise<McpServer> | undefined
    app.all(MCP_PATH, async ({ req, env }) => {
      const request = new AdaptedRequest(req.raw, env)
      const reply = await this.#observer.observe({ request, endpoint: null }, async () => {
        if (request.method === 'OPTIONS') return preflight(MCP_METHODS, MCP_HEADERS)
        if (request.method !== 'POST') throw notAllowed(request.method, MCP_METHODS)
        // The SDK takes 80 ms and 11 MB.
        server ??= import('../mcp/mcp-server.ts').then(({ createMcpServer }) =>
          createMcpServer({ service, limiter, logger, fetch: app.fetch }),
        )
        return (await server)(request, this.#addressOf(request))
      })
      if (request.incoming instanceof IncomingMessage) dropUnread(request.incoming)
      return toResponse(reply)
    })
  }

  /** Answers requests for other paths, and failures outside of the observer, of which none is known. */
  addFailures(): void {
    const reject = async (request: AdaptedRequest, error: Error) =>
      toResponse(await this.#observer.observe({ request, endpoint: null }, () => Promise.reject(error)))
    this.app.notFound(({ req, env }) =>
      reject(new AdaptedRequest(req.raw, env), notFound(this.#options.service)),
    )
    this.app.onError((error, { req }) => reject(new AdaptedRequest(req.raw), error))
  }

  /** Answers the common case, a known path of endpoints, without the adapter's requests and responses. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const request = MessageRequest.read(incoming, outgoing)
    const matched = request && this.#paths.find(request.path)
    if (!request || !matched?.route.byMethod.has(request.method as Method)) return false
    const { logger } = this.#options
    void writeReply(outgoing, this.#serve(request, matched), { endTogether: this.#endTogether, logger })
    return true
  }

  /** The same through the HTTP adapter. A reply whose writing fails cuts its connection. */
  async #send(context: Context<{ Bindings: AppBindings }>, route: PathRoute): Promise<Response> {
    const request = new AdaptedRequest(context.req.raw, context.env)
    const { incoming, outgoing } = request
    const matched = { route, pathParameters: readPathParameters(route, context.req.param()) }
    if (incoming instanceof IncomingMessage && route.pattern !== route.path) {
      const [path = ''] = (incoming.url ?? '').split('?', 1)
      this.#paths.remember(path, matched)
    }
    const reply = await this.#serve(request, matched)
    if (!outgoing || !(reply.body instanceof ReadableStream)) return toResponse(reply)
    return toResponse({ ...reply, body: cutOnFailure(reply.body, outgoing, this.#options.logger) })
  }

  #serve(request: ServedRequest, { route, pathParameters }: MatchedPath): Promise<Reply> {
    const { service, gate, limiter, documents, clock } = this.#options
    const { method, incoming } = request
    const offer = findOffer(route, method)
    return this.#observer.observe({ request, endpoint: offer?.endpoint ?? null }, async (requestId) => {
      if (method === 'OPTIONS') return preflight(route.allow, headersOf(route))
      if (!offer) throw notAllowed(method, route.allow)
      const isFree = offer.endpoint.pricing.kind === 'free'
      const exchange = new ServiceExchange({
        service,
        offer,
        offerAt: (path) => this.#paths.find(path)?.route.byMethod.get(offer.endpoint.method),
        request: method === 'HEAD' && !isFree ? toProbe(request) : request,
        pathParameters,
        requestId,
        clientAddress: this.#addressOf(request),
        clock,
      })
      try {
        const reply = isFree ? await serveFree(exchange, { limiter, documents }) : await gate?.serve(exchange)
        if (!reply) throw new TypeError('unreachable: the gate of a paid endpoint is checked at the start')
        return method === 'HEAD' ? withoutBody(reply) : reply
      } finally {
        if (incoming instanceof IncomingMessage) dropUnread(incoming)
      }
    })
  }

  #addressOf({ headers, incoming, inner }: ServedRequest): string {
    if (inner) return inner.clientAddress
    return this.#readAddress(incoming?.socket.remoteAddress, () => headers.get('x-forwarded-for'))
  }
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
