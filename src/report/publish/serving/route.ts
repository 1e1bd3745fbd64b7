import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Logger } from 'pino'
import type { RateLimiter } from '../../../catalogue/serving/rate-limit.ts'
import type { State } from '../../../state/state.ts'
import type { WalletSignatures } from '../../claims/wallet-signatures.ts'
import type { FreshReader } from '../editions/fresh-reader.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { RenderCache } from './rendered-text.ts'

/** What is known of a request before its route is found; the route then names itself. */
export type Asked = {
  /** The caller's address. */
  readonly client: string
  readonly requestId: string
  /** After how long the caller may ask again, seconds; 0 when it may ask now. */
  readonly waitSeconds: number
  /** The label of the metrics; null as long as no route was found. */
  routeName: string | null
}

type Env = { Bindings: Partial<HttpBindings> & { readonly asked?: Asked } }
export type ReportApp = Hono<Env>
export type ReportContext = Context<Env>

/** What the routes of the report service answer from. */
export type ReportPorts = {
  readonly state: State
  readonly reader: FreshReader
  readonly cache: RenderCache
  readonly evidence: Evidence
  /** Told of what fails after the head of its answer has gone out. */
  readonly logger: Logger
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  /** How long a cache may keep what the next publication may change, seconds. */
  readonly maxAgeSeconds: number
  readonly now: () => Date
  /** When this process began to serve: documents that only a release changes are as old as it. */
  readonly startedAt: Date
  /** Node of the chain that anyone may ask, for the commands that pages show. */
  readonly publicRpcUrl: string
  /** Whether the chain is a local one, whose money is worth nothing. */
  readonly isDemo: boolean
  /** Says who signed a claim. */
  readonly wallets: WalletSignatures
  readonly limits: ClaimLimits
}

/** How often claims may be tried. */
export type ClaimLimits = {
  readonly claimsOfClient: RateLimiter
  readonly claimsOfWallet: RateLimiter
}

/** A POST and who sent it. */
export type PostedRequest = {
  readonly context: ReportContext
  /** The caller's address. */
  readonly client: string
}

/** A path of the report service; all of them are free. */
export type ReportRoute = {
  /** The label of its metrics. */
  readonly name: string
  /** Pattern of Hono's router. */
  readonly path: string
  /** GET and HEAD; absent where nothing can be read. */
  readonly answer?: (context: ReportContext, ports: ReportPorts) => Promise<Response>
  readonly post?: (request: PostedRequest, ports: ReportPorts) => Promise<Response>
  /** Whether people open it in a browser, so that a refusal is a page as well. */
  readonly isPage?: boolean
}
