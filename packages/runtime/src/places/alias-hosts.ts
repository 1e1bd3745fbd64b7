import { type AliasHost, buildAliasService } from '@tollbook/endpoints/alias-service'
import type { Service } from '@tollbook/endpoints/service'
import { ConfigError } from '@tollbook/flow/config-error'
import { hostOf } from '@tollbook/http/server/route-hosts'
import type { Config } from '../config.ts'
import { isPaidService, type PaidService } from './addresses.ts'

/** Base URLs of the additional hosts of all services. */
export function listAliasHosts(config: Config): readonly string[] {
  return (['social', 'utility', 'inference'] as const)
    .flatMap((name): readonly AliasHost[] => config[settingOf(name)])
    .map(({ baseUrl }) => baseUrl)
}

/** The endpoints under additional hosts. @throws ConfigError for an unknown path, or equal hosts. */
export function openAliasHosts(config: Config, service: Service): readonly Service[] {
  if (!isPaidService(service.name)) return []
  const setting = settingOf(service.name)
  const hosts: readonly AliasHost[] = config[setting]
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

function settingOf(name: PaidService) {
  return `TOLLBOOK_${name.toUpperCase() as Uppercase<PaidService>}_ALIASES` as const
}
