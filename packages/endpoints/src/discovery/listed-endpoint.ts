import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'

/** A paid endpoint as a source lists it: on Base, in USDC. */
export type ListedEndpoint = {
  readonly resource: string
  /** Host of the URL in lower case, with its port unless it is the scheme's default. */
  readonly host: string
  readonly payTo: Address
  /** Price of a call; the maximum of a metered endpoint. */
  readonly price: AtomicUsdc
  /** Schemes of the endpoint for this payee, that of the price first: `exact`, `upto`, or `unknown`. */
  readonly schemes: readonly string[]
  /** Plain text without control characters; empty if the source provides none. */
  readonly description: string
  /** HTTP method, or the tool's name of an MCP listing; empty if the source provides neither. */
  readonly operation: string
  readonly lastSeen: Date
}
