import { BASE } from '@tollbook/chain/network'
import { createWalletSignatures, type WalletSignatures } from '@tollbook/chain/wallet-signatures'
import type { Service, ServiceProfile } from '@tollbook/endpoints/service'
import { createServiceApp, type ServiceApp } from '@tollbook/endpoints/serving/router'
import type { Tracer } from '@tollbook/flow/trace'
import type { ReadinessCheck } from '@tollbook/http/operations/readiness'
import { createDocumentCache } from '@tollbook/http/reply/document-cache'
import { createRenderCache } from '@tollbook/http/reply/rendered-text'
import { createRateLimiter, type RateLimiter } from '@tollbook/http/request/rate-limit'
import type { KnownFacilitator } from '@tollbook/verify/chain/facilitators'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { nameFacilitators } from './chain/facilitator-file.ts'
import { registerAlertGauges } from './claims/alerts/alert-gauges.ts'
import type { Evidence } from './evidence/evidence.ts'
import { registerListingGauges } from './listings/listing-gauges.ts'
import { createPageFrame } from './pages/layout.ts'
import { registerIndexerGauges } from './pipeline/indexer-gauges.ts'
import { ALERT_ENDPOINTS } from './routes/alert-routes.ts'
import { CLAIM_ENDPOINTS } from './routes/claim-routes.ts'
import { COMPARE_ENDPOINTS } from './routes/compare-routes.ts'
import { DISCOVERY_ENDPOINTS } from './routes/discovery-routes.ts'
import { dispute } from './routes/dispute-routes.ts'
import { DOCUMENT_ENDPOINTS } from './routes/document-routes.ts'
import { FEED_ENDPOINTS } from './routes/feed-routes.ts'
import { MERCHANT_ENDPOINTS } from './routes/merchant-routes.ts'
import { OVERVIEW_ENDPOINTS } from './routes/overview-routes.ts'
import { preflight } from './routes/preflight-route.ts'
import { RANKING_ENDPOINTS } from './routes/ranking-routes.ts'
import type { ReportPorts } from './routes/reads/ports.ts'
import { WEEK_ENDPOINTS } from './routes/week-routes.ts'
import { createFreshReader } from './served/fresh-reader.ts'
import { openCatalogue } from './served/open-catalogue.ts'
import { createPublicationCheck, registerPublicationGauges } from './served/publication-health.ts'
import { createPublishedVersion } from './served/published-version.ts'
import type { State } from './state/state.ts'

export type ReportApp = ServiceApp

export type ReportAppOptions = {
  readonly state: State
  readonly evidence: Evidence
  /** The list in force, for names; default the bundled one. */
  readonly facilitators?: readonly KnownFacilitator[]
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  readonly profile?: ServiceProfile
  readonly logger: Logger
  /** Seconds between publications: the maximum TTL of changing answers in caches. */
  readonly publishSeconds: number
  /** How long data read from the store may be served again, ms; default 1,000. */
  readonly freshMs?: number
  /** Rate limit per client; default none. */
  readonly limiter?: RateLimiter
  /** Addresses or CIDR blocks of proxies whose `X-Forwarded-For` is trusted; default none. */
  readonly trustedProxies?: readonly string[]
  /** Public node of the chain, shown in commands; default that of Base. Never a URL that contains a key. */
  readonly publicRpcUrl?: string
  /** Whether the chain is a local one, so that pages state what their figures mean; default false. */
  readonly isDemo?: boolean
  readonly now?: () => Date
  /** Checked by `/readyz`, in addition to whether something is published. */
  readonly checks?: readonly ReadinessCheck[]
  readonly tracer?: Tracer | undefined
  readonly registry?: Registry
  /** Verifies who signed a claim; default: without the chain, so that wallets with code cannot claim. */
  readonly wallets?: WalletSignatures
  /** Challenges and signatures of one client per minute; default 20. */
  readonly claimsPerMinute?: number
}

/** A page is at most a minute old, however rarely reports are published. */
const MAX_AGE_SECONDS = 60
const FRESH_MS = 1000
/** The pages and badges of the most requested merchants. */
const CACHE_BYTES = 32_000_000
/** Documents for repeated requests. */
const CACHED_BYTES = 16_000_000
/** How far the window's age on a page may lag, in addition to the publication interval. */
const CACHED_MS = 10_000
/** How far the catalogue of listings may lag. */
const CATALOGUE_MS = 60_000
const PUBLIC_RPC_URL = 'https://mainnet.base.org'
const CLAIMS_PER_MINUTE = 20
const ALERT_TESTS_PER_MINUTE = 60
/** Above any rate: without a limiter of the operator, none of the service. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

export const REPORT_ENDPOINTS = [
  ...MERCHANT_ENDPOINTS,
  ...RANKING_ENDPOINTS,
  ...WEEK_ENDPOINTS,
  ...OVERVIEW_ENDPOINTS,
  ...COMPARE_ENDPOINTS,
  ...FEED_ENDPOINTS,
  ...CLAIM_ENDPOINTS,
  ...ALERT_ENDPOINTS,
  dispute,
  preflight,
  ...DISCOVERY_ENDPOINTS,
  ...DOCUMENT_ENDPOINTS,
]
const DESCRIPTION =
  'x402 revenue of merchants on Base over seven days: the reported totals, and the real totals, which count only payments that pass every screen. Free, no key. Figures under CC BY 4.0.'
const LICENSE = { name: 'CC BY 4.0 (figures)', url: 'https://creativecommons.org/licenses/by/4.0/' }
const GUIDE = `A flag is a pattern in public on-chain data, not a finding of wrongdoing. Always quote both figures.
Before you pay a seller: GET /preflight with payTo, resource and amount of its 402 response; notes say what is unusual.
Send If-None-Match when you poll; a 304 costs next to nothing.`

/** Builds the HTTP application of the report service: free of charge, answers from published data. */
export function createReportApp(options: ReportAppOptions): ReportApp {
  const { state, evidence, baseUrl, logger, trustedProxies = [], registry = new Registry() } = options
  const { claimsPerMinute = CLAIMS_PER_MINUTE, freshMs = FRESH_MS, now = () => new Date() } = options
  const startedAt = now()
  const ports: ReportPorts = {
    network: BASE,
    state,
    reader: createFreshReader(state, freshMs / 2),
    cache: createRenderCache(CACHE_BYTES),
    evidence,
    catalogue: openCatalogue(state, freshMs === 0 ? 0 : CATALOGUE_MS),
    baseUrl,
    facilitatorNames: nameFacilitators(options.facilitators),
    maxAgeSeconds: Math.min(options.publishSeconds, MAX_AGE_SECONDS),
    now,
    startedAt,
    publicRpcUrl: options.publicRpcUrl ?? PUBLIC_RPC_URL,
    isDemo: options.isDemo ?? false,
    wallets: options.wallets ?? createWalletSignatures(),
    limits: {
      claimsOfClient: createRateLimiter(claimsPerMinute),
      alertTests: createRateLimiter(ALERT_TESTS_PER_MINUTE),
    },
  }
  const service: Service = {
    ...(options.profile && { profile: options.profile }),
    name: 'reports',
    title: 'Tollbook reports',
    description: DESCRIPTION,
    guide: GUIDE,
    license: LICENSE,
    baseUrl,
    endpoints: REPORT_ENDPOINTS,
    tools: ['search', 'report', 'ranking', 'preflight', 'verify'],
    ports,
    frame: createPageFrame(baseUrl),
  }
  registerPublicationGauges(registry, state)
  registerListingGauges(registry, state)
  registerIndexerGauges(registry, state)
  registerAlertGauges(registry, state)
  const published = createPublishedVersion(state, freshMs / 2)
  const documents = createDocumentCache({ published, ttlMs: CACHED_MS, maxBytes: CACHED_BYTES })
  return createServiceApp({
    service,
    logger,
    limiter: options.limiter ?? createRateLimiter(NO_LIMIT),
    trustedProxies,
    checks: [createPublicationCheck(state), ...(options.checks ?? [])],
    registry,
    tracer: options.tracer,
    // Without a lifetime every answer is read from the store.
    ...(freshMs > 0 && { documents }),
    clock: now,
  })
}
