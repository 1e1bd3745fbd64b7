import type { OfferedRoute, RouteDiscovery } from '@tollbook/gate/contract/offered-route'
import { buildDiscoveryVariants } from '../declarations/discovery-declaration.ts'
import type { Endpoint } from '../endpoint.ts'
import { answerTypeOf } from '../json-schema.ts'
import { resourceUrlOf, type Service } from '../service.ts'

/** An endpoint of a service, as the gate reads it. */
export function toOfferedRoute(service: Service, endpoint: Endpoint): OfferedRoute {
  return {
    service,
    endpoint,
    resourceUrl: resourceUrlOf(service, endpoint),
    discovery: discoveryOf(endpoint),
  }
}

/** What catalogues show of an endpoint, from its schemas and its example. */
export function discoveryOf(endpoint: Endpoint): RouteDiscovery {
  return {
    answerType: () => answerTypeOf(endpoint),
    declarations: () => buildDiscoveryVariants(endpoint),
  }
}
