import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { EndpointHealth } from './health.ts'

/** A paid endpoint of a merchant, as the inputs of its report state it. */
export type StatedListing = {
  /** URL of the endpoint. */
  readonly resource: string
  /** Lower case, with the port unless it is the default port of the scheme. */
  readonly host: string
  /** HTTP method, or the tool name of an MCP listing; empty when the source does not state it. */
  readonly operation: string
  readonly price: AtomicUsdc
  /** Payment schemes, that of the price first. */
  readonly schemes: readonly string[]
  readonly description: string
  /** What unpaid requests showed; absent if it was not checked. */
  readonly health?: EndpointHealth
}
