import type { ListedEndpoint } from '../../discovery/listed-endpoint.ts'
import type { EndpointHealth } from '../../verify/listings/health.ts'

/** A paid endpoint as a source lists it, and how it answers. */
export type Listing = ListedEndpoint & {
  /** What unpaid requests showed; absent if it was not checked. */
  readonly health?: EndpointHealth
}

/** A listing with its source: a service, a catalogue, a merchant's document, or the origin of its 402. */
export type SourcedListing = Listing & { readonly source: string }
