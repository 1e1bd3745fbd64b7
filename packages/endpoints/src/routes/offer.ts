import type { RouteDiscovery } from '@tollbook/gate/contract/offered-route'
import type { Problem } from '@tollbook/http/problem'
import { GivenArguments } from '../arguments/given-arguments.ts'
import { describeInput, type InputFields } from '../arguments/input-fields.ts'
import { readArguments } from '../arguments/read-arguments.ts'
import type { Endpoint } from '../endpoint.ts'
import { resourceUrlOf, type Service } from '../service.ts'
import { discoveryOf } from './offered-route.ts'

/** The parts of a service from which its offers are made. */
export type Offering = Pick<Service, 'baseUrl' | 'ports'>

/** An endpoint with what is needed to read its requests. */
export type Offer = {
  readonly endpoint: Endpoint
  readonly fields: InputFields
  /** The URL under which the endpoint is listed. */
  readonly resourceUrl: string
  readonly discovery: RouteDiscovery
  /** The problem of a request without arguments, always the same object; crawlers probe this way. */
  readonly bareProblem: () => Problem | null
}

export function createOffer(service: Offering, endpoint: Endpoint): Offer {
  const { ports } = service
  const fields = describeInput(endpoint)
  let bare: { readonly problem: Problem | null } | undefined
  return {
    endpoint,
    fields,
    resourceUrl: resourceUrlOf(service, endpoint),
    discovery: discoveryOf(endpoint),
    bareProblem: () => {
      if (!bare) {
        const reading = readArguments({ endpoint, ports }, new GivenArguments(fields))
        bare = { problem: 'problem' in reading ? reading.problem : null }
      }
      return bare.problem
    },
  }
}
