import { readAvailability } from '@tollbook/endpoints/routes/read-availability'
import type { Service } from '@tollbook/endpoints/service'
import type { Row } from '../process/announce.ts'

type Described = {
  /** Of the line. */
  readonly name: string
  readonly path: string
  /** The services of the process; those without the path get no line. */
  readonly services: readonly Service[]
  /** What enables the endpoint if it is not configured. */
  readonly enabledBy?: string | undefined
  /** What is sold; default `sold`. */
  readonly describe?: (service: Service) => string
}

/** A line for an endpoint that needs a model, a program or an upstream: whether it is sold, or how to enable it. */
export function describeEndpoint(described: Described): readonly Row[] {
  const { name, path, services, enabledBy, describe = () => 'sold' } = described
  return services.flatMap((service): readonly Row[] => {
    const endpoint = service.endpoints.find((each) => each.path === path)
    if (!endpoint) return []
    const availability = readAvailability(service, endpoint)
    if (availability.isAvailable) return [[name, describe(service)]]
    const { code, detail } = availability.problem
    return [[name, `not sold: ${(code === 'not_configured' && enabledBy) || detail}`]]
  })
}
