import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { Service, ServiceProfile } from '@tollbook/endpoints/service'
import { createFacilitatorEndpoints } from './endpoints.ts'
import type { FacilitatorPorts } from './ports.ts'

const WORK =
  'verifies payments and settles them for any seller, several in one transaction, each exactly once.'
const GUIDE = `Point an x402 server at this address: \`new HTTPFacilitatorClient({ url })\`.
Repeat POST /settle until it no longer answers \`settlement_pending\`. One request gets the success; to retry, send \`Idempotency-Key\`.`

/** The facilitator service; its endpoints are free. */
export function createFacilitatorService<Ports extends FacilitatorPorts>({
  discovery,
  ...options
}: {
  readonly baseUrl: string
  /** Of its own endpoints, and of those of discovery. */
  readonly ports: Ports
  /** The endpoints that list and find what is sold. */
  readonly discovery: readonly Endpoint[]
  readonly profile: ServiceProfile
}): Service {
  const { network, isLocal } = options.ports
  return {
    ...options,
    name: 'facilitator',
    title: 'Tollbook Facilitator',
    description: `An x402 facilitator for USDC on ${network.title}: ${WORK}`,
    network,
    isDemo: isLocal,
    guide: GUIDE,
    endpoints: [...createFacilitatorEndpoints(network), ...discovery],
  }
}
