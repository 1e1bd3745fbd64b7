import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Address } from '../chain/payment.ts'

/** A paid endpoint as a source offers it: on Base, in USDC. */
export type Listing = {
  /** Full URL of the endpoint. */
  readonly resource: string
  /** Host of the URL in lower case, with its port unless that is the scheme's own. */
  readonly host: string
  readonly payTo: Address
  /** Price of a call; the maximum of a metered endpoint. */
  readonly price: AtomicUsdc
  /** Plain text without control characters; empty when the source has none. */
  readonly description: string
  /** HTTP method, or the tool's name of an MCP listing; empty when the source does not say. */
  readonly operation: string
  readonly lastSeen: Date
}

/** A listing with where it was read: a service or catalogue, a merchant's document, or the origin of its 402 answers. */
export type SourcedListing = Listing & { readonly source: string }
