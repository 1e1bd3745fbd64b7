import type { Availability } from '../../catalogue/endpoint.ts'
import type { SocialPorts } from '../ports.ts'
import type { SocialOperation } from './provider.ts'

/** Whether the chosen source can ever do this; otherwise nothing is offered for sale. */
export function checkCapability({ provider }: SocialPorts, operation: SocialOperation): Availability {
  if (provider.capabilities.has(operation)) return { isAvailable: true }
  const detail = `The source of this service, ${provider.name}, has no data of this kind.`
  return { isAvailable: false, problem: { code: 'not_offered', detail } }
}
