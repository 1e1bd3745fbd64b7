import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { createClientAddressReader } from '../catalogue/client-address.ts'
import { buildOperations, createRequestRecorder } from '../catalogue/operations.ts'
import { PROBLEMS, ProblemError } from '../catalogue/problem.ts'
import { renderProblem, toProblem } from '../catalogue/problem-document.ts'
import type { RateLimiter } from '../catalogue/rate-limit.ts'
import type { ReadinessCheck } from '../catalogue/readiness.ts'
import { tooMany } from '../catalogue/serve-free.ts'
import type { State } from '../state/state.ts'
import { DOCUMENT_ROUTES } from './publish/document-routes.ts'
import type { Evidence } from './publish/evidence.ts'
import { createFreshReader } from './publish/fresh-reader.ts'
import { PAGE_HEADERS } from './publish/layout.ts'
import { MERCHANT_ROUTES } from './publish/merchant-routes.ts'
import { renderRefusalPage } from './publish/problems-page.ts'
import { createPublicationCheck, registerPublicationGauges } from './publish/publication-health.ts'
import { RANKING_ROUTES, wantsPage } from './publish/ranking-routes.ts'
import { createRenderCache } from './publish/rendered-text.ts'
import type { ReportApp, ReportContext, ReportPorts, ReportRoute } from './publish/route.ts'

export type ReportAppOptions = {
  readonly state: State
  /** Where every payment of a window is read from. */
  readonly evidence: Evidence
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  readonly logger: Logger
  /** Seconds between publications: caches keep what changes no longer than that. */
  readonly publishSeconds: number
  /** How long what was read from the store may be served again, ms; default 1,000, below any publication. */
  readonly freshMs?: number
  /** Bounds what one client may ask; default no bound. */
  readonly limiter?: RateLimiter
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is believed; default none. */
  readonly trustedProxies?: readonly string[]
  /** Asked by `/readyz` beside whether something is published. */
  readonly checks?: readonly ReadinessCheck[]
  /** Shown by `/metrics`. */
  readonly registry?: Registry
}

/** A page may be a minute old at most, however seldom is published. */
const LONGEST_MAX_AGE_SECONDS = 60
const FRESH_MS = 1000
/** The pages and badges of the merchants that are looked at most. */
const CACHE_BYTES = 32_000_000
const METHODS = 'GET, HEAD, OPTIONS'
const OPEN_HEADERS: Readonly<Record<string, string>> = {
  // Figures are public and no cookie is read, so every origin may ask.
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, X-Request-Id, Retry-After, Content-Disposition',
  'x-content-type-options': 'nosniff',
}

/** Builds the HTTP application of the report service: free, read-only, answered from what was published. */
export function createReportApp(options: ReportAppOptions): ReportApp {
  const { state, evidence, baseUrl, logger, limiter, registry = new Registry() } = options
  const maxAgeSeconds = Math.min(options.publishSeconds, LONGEST_MAX_AGE_SECONDS)
  const ports: ReportPorts = {
    state,
    reader: createFreshReader(state, options.freshMs ?? FRESH_MS),
    cache: createRenderCache(CACHE_BYTES),
    evidence,
    baseUrl,
    maxAgeSeconds,
  }
  const record = createRequestRecorder(logger, registry)
  const readAddress = createClientAddressReader(options.trustedProxies ?? [])
  const app: ReportApp = new Hono()
  // Health is asked by machines at a fixed pace: neither counted against a client nor logged.
  registerPublicationGauges(registry, state)
  const checks = [createPublicationCheck(state), ...(options.checks ?? [])]
  for (const [path, page] of Object.entries(buildOperations(registry, checks))) {
    app.get(path, ({ req }) => page({ url: new URL(req.url), parameters: {}, requestId: randomUUID() }))
  }
  for (const route of [...RANKING_ROUTES, ...MERCHANT_ROUTES, ...DOCUMENT_ROUTES]) {
    app.all(route.path, (context) => serve(context, route))
  }
  app.notFound((context) => serve(context, null))
  app.onError((error) => {
    logger.error({ err: error }, 'failed')
    return renderProblem(toProblem(error), { baseUrl })
  })
  return app

  async function serve(context: ReportContext, route: ReportRoute | null): Promise<Response> {
    const startedMs = performance.now()
    const requestId = randomUUID()
    let response: Response
    try {
      response = await answer(context, route)
    } catch (error) {
      if (!(error instanceof ProblemError)) logger.error({ err: error, request_id: requestId }, 'failed')
      response = await refuse(context, { error, isPage: route?.isPage ?? route === null, requestId })
    }
    for (const [name, value] of Object.entries(OPEN_HEADERS)) response.headers.set(name, value)
    response.headers.set('x-request-id', requestId)
    const durationMs = performance.now() - startedMs
    record({ endpointId: route?.name ?? null, status: response.status, durationMs, requestId })
    return response
  }

  async function answer(context: ReportContext, route: ReportRoute | null): Promise<Response> {
    const { method } = context.req
    if (!route)
      throw new ProblemError({
        code: 'not_found',
        detail: `Nothing has this path; ${baseUrl}/llms.txt tells what is here.`,
      })
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: preflight })
    if (method !== 'GET' && method !== 'HEAD') {
      const detail = `${method} is not offered here; ${METHODS} are.`
      throw new ProblemError({ code: 'method_not_allowed', detail, headers: { allow: METHODS } })
    }
    const socketAddress = context.env?.incoming?.socket.remoteAddress
    const client = readAddress(socketAddress, context.req.header('x-forwarded-for') ?? null)
    const waitSeconds = limiter?.take(client) ?? 0
    if (waitSeconds > 0) throw new ProblemError(tooMany(waitSeconds))
    return route.answer(context, ports)
  }

  async function refuse(context: ReportContext, refusal: Refusal): Promise<Response> {
    const problem = toProblem(refusal.error)
    if (!refusal.isPage || !wantsPage(context)) {
      return renderProblem(problem, { baseUrl, requestId: refusal.requestId })
    }
    return new Response(await renderRefusalPage(problem), {
      status: PROBLEMS[problem.code].status,
      headers: { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS, ...problem.headers },
    })
  }
}

type Refusal = { readonly error: unknown; readonly isPage: boolean; readonly requestId: string }

/** The answer to a CORS preflight (WHATWG Fetch, section 3.2). */
const preflight: Readonly<Record<string, string>> = {
  allow: METHODS,
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': 'Accept, If-None-Match, If-Modified-Since',
  'access-control-max-age': '86400',
}
