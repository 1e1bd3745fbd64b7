import type { ProblemCode } from '@tollbook/http/problem'
import type { Availability, Endpoint } from '../endpoint.ts'
import type { Service } from '../service.ts'

/** Whether an endpoint is currently available; checked before every challenge. */
export function readAvailability({ ports }: Pick<Service, 'ports'>, endpoint: Endpoint): Availability {
  // An endpoint's ports are its service's ports.
  return endpoint.availability?.(ports) ?? { isAvailable: true }
}

/** The endpoints that this installation sells, for catalogues; one that is down for a moment remains listed. */
export function listOffered(service: Service): readonly Endpoint[] {
  return service.endpoints.filter((endpoint) => isOffered(service, endpoint))
}

/** Whether an endpoint is configured, and its upstream has what it sells. */
export function isOffered(service: Service, endpoint: Endpoint): boolean {
  const availability = readAvailability(service, endpoint)
  return availability.isAvailable || SHORT[availability.problem.code] === undefined
}

export function unavailabilityOf(service: Service, endpoint: Endpoint): Unavailability | null {
  const availability = readAvailability(service, endpoint)
  if (availability.isAvailable) return null
  const { code, detail } = availability.problem
  return { short: SHORT[code] ?? 'not answering', detail, isForOperator: isForOperator(code) }
}

export type Unavailability = {
  readonly short: string
  readonly detail: string
  /** Whether `detail` says what the operator can do to enable it, which is nothing to buyers. */
  readonly isForOperator: boolean
}

/** Whether the detail of a problem is about the configuration. */
export function isForOperator(code: ProblemCode): boolean {
  return SHORT[code] !== undefined
}

/** Of endpoints that stay unavailable until the operator changes the configuration. */
const SHORT: Partial<Record<ProblemCode, string>> = {
  not_configured: 'not configured here',
  not_offered: 'not offered here',
}
