import type { Network } from '@tollbook/chain/network'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { Config } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { DISCOVERY_ENDPOINTS } from '../routes/discovery-routes.ts'
import { type OpenCatalogue, openCatalogue } from '../served/open-catalogue.ts'
import type { State } from '../state/state.ts'

/** How far the catalogue of listings may lag. */
const CATALOGUE_MS = 10_000

/** The endpoints of discovery for the facilitator service, over its own listings. */
export function openDiscovery({ config, state }: { readonly config: Config; readonly state: State }): {
  readonly endpoints: readonly Endpoint[]
  openPorts(listings: Parameters<typeof openCatalogue>[2]): Promise<{
    readonly catalogue: OpenCatalogue
    readonly baseUrl: string
    readonly maxAgeSeconds: number
    readonly network: Network
  }>
} {
  return {
    endpoints: DISCOVERY_ENDPOINTS,
    async openPorts(listings) {
      return {
        catalogue: openCatalogue(state, CATALOGUE_MS, listings),
        // Of reports, to which its catalogue links.
        baseUrl: (await placeService(config, 'report')).baseUrl,
        maxAgeSeconds: CATALOGUE_MS / 1000,
        network: config.TOLLBOOK_NETWORK,
      }
    },
  }
}
