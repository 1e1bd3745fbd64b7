import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import type { Logger } from 'pino'
import type { WalletSignatures } from '../../../chain/wallet-signatures.ts'
import type { RateLimiter } from '../../../http/request/rate-limit.ts'
import type { State } from '../../../state/state.ts'
import type { FreshReader } from '../editions/fresh-reader.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { RenderCache } from './rendered-text.ts'

/** What is known of a request before its route is found; the route then sets its label. */
export type Asked = {
  /** The caller's address. */
  readonly client: string
  readonly requestId: string
  /** Seconds until the caller may retry; 0 when it may call now. */
  readonly waitSeconds: number
  /** The label of the metrics; null until a route is found. */
  routeName: string | null
}

type Env = { Bindings: Partial<HttpBindings> & { readonly asked?: Asked } }
export type ReportApp = Hono<Env>
export type ReportContext = Context<Env>

/** The dependencies of the routes of the report service. */
export type ReportPorts = {
  readonly state: State
  readonly reader: FreshReader
  readonly cache: RenderCache
  readonly evidence: Evidence
  /** Receives errors that occur after the response head was sent. */
  readonly logger: Logger
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  /** How long a cache may store a response that the next publication may change, seconds. */
  readonly maxAgeSeconds: number
  readonly now: () => Date
  /** When this process started: documents that only a release changes have this modification time. */
  readonly startedAt: Date
  /** Public RPC node of the chain, for the commands that pages show. */
  readonly publicRpcUrl: string
  /** Whether the chain is a local one, whose tokens have no value. */
  readonly isDemo: boolean
  /** Verifies who signed a claim. */
  readonly wallets: WalletSignatures
  readonly limits: ClaimLimits
}

/** Rate limit of claims. */
export type ClaimLimits = {
  readonly claimsOfClient: RateLimiter
  readonly claimsOfWallet: RateLimiter
}

/** A POST and its sender. */
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
  /** GET and HEAD; absent if the path cannot be read. */
  readonly answer?: (context: ReportContext, ports: ReportPorts) => Promise<Response>
  readonly post?: (request: PostedRequest, ports: ReportPorts) => Promise<Response>
  /** Whether people open it in a browser, so that problems are pages as well. */
  readonly isPage?: boolean
}
