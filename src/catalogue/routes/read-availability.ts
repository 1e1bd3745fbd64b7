import type { Availability, Endpoint } from '../endpoint.ts'
import type { ProblemCode } from '../problem.ts'
import type { Service } from '../service.ts'

/** Whether an endpoint can be sold right now, as every challenge asks it. */
export function readAvailability({ ports }: Pick<Service, 'ports'>, endpoint: Endpoint): Availability {
  // An endpoint's ports are its service's.
  return endpoint.availability?.(ports) ?? { isAvailable: true }
}

/** What keeps an endpoint from being sold, in words for pages; null where nothing does. */
export function sayHindrance(service: Service, endpoint: Endpoint): Hindrance | null {
  const availability = readAvailability(service, endpoint)
  if (availability.isAvailable) return null
  const { code, detail } = availability.problem
  return { short: SHORT[code] ?? 'not answering', detail }
}

/** `detail` says what enables it, where the operator can. */
export type Hindrance = { readonly short: string; readonly detail: string }

const SHORT: Partial<Record<ProblemCode, string>> = {
  not_configured: 'not set up here',
  not_offered: 'not offered here',
}
