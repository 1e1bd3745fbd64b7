import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { createWalletSignatures, type WalletSignatures } from '../chain/wallet-signatures.ts'
import { buildOperations, createRequestRecorder } from '../http/operations/operations.ts'
import type { ReadinessCheck } from '../http/operations/readiness.ts'
import { PROBLEMS, ProblemError } from '../http/problem.ts'
import { renderProblem, toProblem } from '../http/reply/problem-document.ts'
import { toResponse } from '../http/reply/reply.ts'
import { createClientAddressReader } from '../http/request/client-address.ts'
import { createRateLimiter, type RateLimiter, tooMany } from '../http/request/rate-limit.ts'
import type { State } from '../state/state.ts'
import { registerListingGauges } from './listings/listing-gauges.ts'
import { CLAIM_ROUTES } from './publish/claims/claim-routes.ts'
import { DISPUTE_ROUTES } from './publish/claims/dispute-routes.ts'
import { DOCUMENT_ROUTES } from './publish/documents/document-routes.ts'
import { FEED_ROUTES } from './publish/documents/feed-routes.ts'
import { createFreshReader } from './publish/editions/fresh-reader.ts'
import { createPublicationCheck, registerPublicationGauges } from './publish/editions/publication-health.ts'
import { createPublishedVersion } from './publish/editions/published-version.ts'
import type { Evidence } from './publish/evidence/evidence.ts'
import { MERCHANT_ROUTES } from './publish/merchant/merchant-routes.ts'
import { PAGE_HEADERS } from './publish/pages/layout.ts'
import { renderRefusalPage } from './publish/pages/problems-page.ts'
import { RANKING_ROUTES, wantsPage } from './publish/ranking/ranking-routes.ts'
import { WEEK_ROUTES } from './publish/ranking/week-routes.ts'
import { canBeKept, createKeptAnswers } from './publish/serving/kept-answers.ts'
import { readHeader } from './publish/serving/read-header.ts'
import { createRenderCache } from './publish/serving/rendered-text.ts'
import type { Asked, ReportApp, ReportContext, ReportPorts, ReportRoute } from './publish/serving/route.ts'

export type ReportAppOptions = {
  readonly state: State
  /** Source of every payment of a window. */
  readonly evidence: Evidence
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  readonly logger: Logger
  /** Seconds between publications: the maximum TTL of changing answers in caches. */
  readonly publishSeconds: number
  /**
   * How long data read from the store may be served again, ms; default 1,000, below any publication interval.
   */
  readonly freshMs?: number
  /** Rate limit per client; default none. */
  readonly limiter?: RateLimiter
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is trusted; default none. */
  readonly trustedProxies?: readonly string[]
  /** Public node of the chain, shown in commands; default that of Base. Never a URL that contains a key. */
  readonly publicRpcUrl?: string
  /** Whether the chain is a local one, so that pages state what their figures mean; default false. */
  readonly isDemo?: boolean
  /** Default: the system clock. */
  readonly now?: () => Date
  /** Checked by `/readyz`, in addition to whether something is published. */
  readonly checks?: readonly ReadinessCheck[]
  /** Exported by `/metrics`. */
  readonly registry?: Registry
  /** Verifies who signed a claim; default: without the chain, so that wallets with code cannot claim. */
  readonly wallets?: WalletSignatures
  /** Challenges and signatures of one client per minute; default 20. Three times as many for one wallet. */
  readonly claimsPerMinute?: number
}

/** A page is at most a minute old, however rarely reports are published. */
const MAX_AGE_SECONDS = 60
const FRESH_MS = 1000
/** The pages and badges of the most requested merchants. */
const CACHE_BYTES = 32_000_000
/** Complete answers to repeated requests. */
const KEPT_BYTES = 16_000_000
/** How far the window's age on a page may lag, in addition to the publication interval. */
const KEPT_MS = 10_000
const PUBLIC_RPC_URL = 'https://mainnet.base.org'
const CLAIMS_PER_MINUTE = 20
/**
 * Several clients may request challenges for one wallet; one that exceeds its limit must not lock out the
 * owner.
 */
const CLIENTS_PER_WALLET = 3
const ROUTES = [
  ...RANKING_ROUTES,
  ...MERCHANT_ROUTES,
  ...WEEK_ROUTES,
  ...FEED_ROUTES,
  ...CLAIM_ROUTES,
  ...DISPUTE_ROUTES,
  ...DOCUMENT_ROUTES,
]
const OPEN_HEADERS: Readonly<Record<string, string>> = {
  // Figures are public and no cookie or other credential is read: a page of any origin may send requests, and
  // can do no more in its visitor's browser than by itself.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Link, X-Request-Id, Retry-After, Content-Disposition',
  'x-content-type-options': 'nosniff',
}

/** Builds the HTTP application of the report service: free of charge, answers from published data. */
export function createReportApp(options: ReportAppOptions): ReportApp {
  const { state, evidence, baseUrl, logger, limiter, registry = new Registry() } = options
  const now = options.now ?? (() => new Date())
  const { claimsPerMinute = CLAIMS_PER_MINUTE, freshMs = FRESH_MS } = options
  const maxAgeSeconds = Math.min(options.publishSeconds, MAX_AGE_SECONDS)
  const ports: ReportPorts = {
    state,
    reader: createFreshReader(state, freshMs / 2),
    cache: createRenderCache(CACHE_BYTES),
    evidence,
    logger,
    baseUrl,
    maxAgeSeconds,
    now,
    startedAt: now(),
    publicRpcUrl: options.publicRpcUrl ?? PUBLIC_RPC_URL,
    isDemo: options.isDemo ?? false,
    wallets: options.wallets ?? createWalletSignatures(),
    limits: {
      claimsOfClient: createRateLimiter(claimsPerMinute),
      claimsOfWallet: createRateLimiter(CLIENTS_PER_WALLET * claimsPerMinute),
    },
  }
  const record = createRequestRecorder(logger, registry)
  const readAddress = createClientAddressReader(options.trustedProxies ?? [])
  const kept = createKeptAnswers({ keptMs: KEPT_MS, maxBytes: KEPT_BYTES })
  const published = createPublishedVersion(state, freshMs / 2)
  const routed: ReportApp = new Hono()
  for (const route of ROUTES) routed.all(route.path, (context) => answer(context, route))
  routed.notFound((context) => answer(context, null))
  const app: ReportApp = new Hono()
  // Health checks are automatic and regular: neither rate-limited nor logged.
  registerPublicationGauges(registry, state)
  registerListingGauges(registry, state)
  const checks = [createPublicationCheck(state), ...(options.checks ?? [])]
  for (const [path, page] of Object.entries(buildOperations(registry, checks))) {
    app.get(path, ({ req }) => {
      const { method, headers } = req.raw
      return page({ url: new URL(req.url), parameters: {}, requestId: randomUUID(), method, headers })
    })
  }
  app.all('*', serve)
  app.onError((error) => {
    logger.error({ err: error }, 'unhandled error in request')
    return toResponse(renderProblem(toProblem(error), { baseUrl }))
  })
  return app

  /** Fast path: the most frequent requests are answered from the cache, before routing. */
  function serve(context: ReportContext): Response | Promise<Response> {
    const startedMs = performance.now()
    const requestId = randomUUID()
    const socketAddress = context.env?.incoming?.socket.remoteAddress
    const client = readAddress(socketAddress, () => readHeader(context, 'x-forwarded-for') ?? null)
    const waitSeconds = limiter?.take(client) ?? 0
    const asked: Asked = { client, requestId, waitSeconds, routeName: null }
    const version = published.fresh()
    const known = waitSeconds > 0 || version === undefined ? undefined : kept.find(context, version)
    if (!known) return compute(context, asked, startedMs)
    const response = known.give(context, requestId)
    const { status } = response
    const durationMs = performance.now() - startedMs
    record({ endpointId: known.routeName, status, durationMs, requestId, isRepeated: true })
    return response
  }

  async function compute(context: ReportContext, asked: Asked, startedMs: number): Promise<Response> {
    const response = await route(context, asked)
    const { requestId, routeName } = asked
    const durationMs = performance.now() - startedMs
    record({ endpointId: routeName, status: response.status, durationMs, requestId })
    return response
  }

  /** Null when no answer may be cached: the store does not answer, or must be read each time. */
  async function findVersion(): Promise<string | null> {
    if (freshMs === 0) return null
    // The route fails in the same way, or answers without the store.
    return published.fresh() ?? (await published.read().catch(() => null))
  }

  /** Routes the request, and caches an answer that other clients may request. */
  async function route(context: ReportContext, asked: Asked): Promise<Response> {
    const version = await findVersion()
    // Without Node's incoming request: the inner application uses the routed one.
    const { outgoing } = context.env ?? {}
    const env = { asked, ...(outgoing && { outgoing }) }
    const { raw, method } = context.req
    const response = await routed.fetch(raw, env)
    if (version === null || method !== 'GET' || !canBeKept(response)) return response
    // A conditional answer cannot serve the next client.
    const whole = response.status === 200 ? response : await routed.fetch(withoutConditions(raw), env)
    if (whole.status !== 200) return response
    const answer = await kept.keep(context, whole, { routeName: asked.routeName, version })
    return answer.give(context, asked.requestId)
  }

  /** Answers by a route and adds the headers common to all answers. */
  async function answer(context: ReportContext, route: ReportRoute | null): Promise<Response> {
    const { asked } = context.env
    const response = await call(context, route).catch((error: unknown) => {
      const requestId = asked?.requestId ?? ''
      if (!(error instanceof ProblemError))
        logger.error({ err: error, request_id: requestId }, 'unhandled error in request')
      return refuse(context, { error, isPage: route?.isPage ?? route === null, requestId })
    })
    if (asked) {
      asked.routeName = route?.name ?? null
      response.headers.set('x-request-id', asked.requestId)
    }
    for (const [name, value] of Object.entries(OPEN_HEADERS)) response.headers.set(name, value)
    return response
  }

  async function call(context: ReportContext, route: ReportRoute | null): Promise<Response> {
    const { method } = context.req
    const { client = '', waitSeconds = 0 } = context.env.asked ?? {}
    if (!route)
      throw new ProblemError({
        code: 'not_found',
        detail: `Path not found; see ${baseUrl}/llms.txt for the available paths.`,
      })
    const methods = methodsOf(route)
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: preflight(methods) })
    const handle = handlerOf(route, method)
    if (!handle) {
      const detail = `${method} is not offered here; ${methods} are.`
      throw new ProblemError({ code: 'method_not_allowed', detail, headers: { allow: methods } })
    }
    if (waitSeconds > 0) throw new ProblemError(tooMany(waitSeconds))
    return handle({ context, client }, ports)
  }

  async function refuse(context: ReportContext, refusal: Refusal): Promise<Response> {
    const problem = toProblem(refusal.error)
    if (!refusal.isPage || !wantsPage(context)) {
      return toResponse(renderProblem(problem, { baseUrl, requestId: refusal.requestId }))
    }
    return new Response(await renderRefusalPage(problem), {
      status: PROBLEMS[problem.code].status,
      headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS, ...problem.headers },
    })
  }
}

/** The same request without conditional headers. */
function withoutConditions(request: Request): Request {
  const headers = new Headers(request.headers)
  for (const name of ['if-none-match', 'if-modified-since']) headers.delete(name)
  return new Request(request.url, { headers })
}

type Refusal = { readonly error: unknown; readonly isPage: boolean; readonly requestId: string }

function handlerOf({ answer, post }: ReportRoute, method: string): ReportRoute['post'] {
  if (method === 'POST') return post
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && answer ? ({ context }, ports) => answer(context, ports) : undefined
}

function methodsOf({ answer, post }: ReportRoute): string {
  return [...(answer ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), 'OPTIONS'].join(', ')
}

/** The answer to a CORS preflight (WHATWG Fetch, section 3.2). */
function preflight(methods: string): Readonly<Record<string, string>> {
  return {
    allow: methods,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': 'Accept, Content-Type, If-None-Match, If-Modified-Since',
    'access-control-max-age': '86400',
  }
}
