import type { ListedEndpoint } from '@tollbook/endpoints/discovery/listed-endpoint'
import type { EndpointHealth } from '@tollbook/verify/listings/health'

/** A paid endpoint as a source lists it, and how it answers. */
export type Listing = ListedEndpoint & {
  /** What unpaid requests showed; absent if it was not checked. */
  readonly health?: EndpointHealth
}

/** A listing with its source: a service, a catalogue, a merchant's document, or the origin of its 402. */
export type SourcedListing = Listing & { readonly source: string }
