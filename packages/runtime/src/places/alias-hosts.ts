import { buildAliasService } from '@tollbook/endpoints/alias-service'
import type { Service } from '@tollbook/endpoints/service'
import { ConfigError } from '@tollbook/flow/config-error'
import { hostOf } from '@tollbook/http/server/route-hosts'
import type { Config } from '../config.ts'
import { serviceSetting } from '../settings/service-settings.ts'

/** Base URLs of the additional hosts of all services. */
export function listAliasHosts(config: Config): readonly string[] {
  return [...config.services.values()].flatMap(({ aliases }) => aliases).map(({ baseUrl }) => baseUrl)
}

/** The endpoints under additional hosts. @throws ConfigError for an unknown path, or equal hosts. */
export function openAliasHosts(config: Config, service: Service): readonly Service[] {
  const hosts = config.services.get(service.name)?.aliases ?? []
  const setting = serviceSetting(service.name, 'ALIASES')
  const names = [service.baseUrl, ...hosts.map(({ baseUrl }) => baseUrl)].map(hostOf)
  const twice = names.filter((name, at) => names.indexOf(name) < at)
  if (twice.length > 0)
    throw new ConfigError([`${setting}: ${twice.join(', ')} is already the service's host`])
  try {
    return hosts.map((host) => buildAliasService(service, host))
  } catch (error) {
    throw error instanceof RangeError ? new ConfigError([`${setting}: ${error.message}`]) : error
  }
}
