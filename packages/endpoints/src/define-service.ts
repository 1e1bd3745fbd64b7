import type { Endpoint } from './endpoint.ts'
import type { Service } from './service.ts'

/** Where a service is served, and until when. */
export type ServiceContext = {
  /** Public address, without a trailing slash. */
  readonly baseUrl: string
  /** Aborted when the service stops. */
  readonly signal: AbortSignal
  /** Called when the service stops, after its last call; the last one first. */
  readonly onClose: (close: () => Promise<void> | void) => void
}

/** What a module declares of its service; the rest comes from settings. */
export type ServiceDeclaration = Pick<
  Service,
  'title' | 'description' | 'guide' | 'license' | 'pages' | 'frame' | 'registerMetrics' | 'edition'
> & {
  /**
   * Lower-case letters, digits and hyphens, at most 40, such as `weather`. It is in the names of settings
   * (`TOLLBOOK_WEATHER_PORT`), in labels of metrics and in rows of calls, so it stays the same.
   */
  readonly name: string
  readonly endpoints: readonly Endpoint[]
  /** Where it listens unless a setting says otherwise; default 4030, and one more for each further service. */
  readonly port?: number
  /** Ids of at most 23 endpoints that `/mcp` lists; default the first 23. Others are found by words. */
  readonly tools?: readonly string[]
  /**
   * What handlers get as `ports`, such as a database, or a function that opens it when the service is served. A
   * service whose module can be imported without side effects can be tested.
   */
  readonly ports?: object | ((context: ServiceContext) => object | Promise<object>)
}

/** As many tools as clients of MCP show. */
export const MAX_TOOLS = 23

/**
 * Declares a service, so that `tollbook serve <file>` can serve it: the module exports it as `service`. Nothing is
 * opened or checked until it is served.
 */
export function defineService(declaration: ServiceDeclaration): ServiceDeclaration {
  return Object.freeze(declaration)
}

/** The service at its address. */
export async function openService(
  { ports = {}, ...declared }: ServiceDeclaration,
  context: ServiceContext,
): Promise<Service> {
  return {
    tools: declared.endpoints.map(({ id }) => id).slice(0, MAX_TOOLS),
    ...declared,
    baseUrl: context.baseUrl,
    ports: typeof ports === 'function' ? await ports(context) : ports,
  }
}
