import type { Network } from '@tollbook/chain/network'
import type { WalletSignatures } from '@tollbook/chain/wallet-signatures'
import type { RenderCache } from '@tollbook/http/reply/rendered-text'
import type { RateLimiter } from '@tollbook/http/request/rate-limit'
import type { Evidence } from '../../evidence/evidence.ts'
import type { FreshReader } from '../../served/fresh-reader.ts'
import type { OpenCatalogue } from '../../served/open-catalogue.ts'
import type { State } from '../../state/state.ts'

export type ReportPorts = {
  /** Of the listings. */
  readonly network: Network
  readonly state: State
  readonly reader: FreshReader
  readonly cache: RenderCache
  readonly evidence: Evidence
  readonly catalogue: OpenCatalogue
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string
  /** By wallet, from the list of facilitators in force. */
  readonly facilitatorNames: ReadonlyMap<string, string>
  /** How long a cache may store a response that the next publication may change, seconds. */
  readonly maxAgeSeconds: number
  readonly now: () => Date
  /** When this process started: documents that only a release changes have this modification time. */
  readonly startedAt: Date
  /** Public RPC node of the chain, for the commands that pages show. */
  readonly publicRpcUrl: string
  /** Whether the chain is a local one, whose tokens have no value. */
  readonly isDemo: boolean
  readonly wallets: WalletSignatures
  readonly limits: ClaimLimits
}

export type ClaimLimits = {
  readonly claimsOfClient: RateLimiter
  /** By wallet, which has proved that it is the merchant: nobody else uses its budget up. */
  readonly alertTests: RateLimiter
}
