import { ConfigError } from '@tollbook/flow/config-error'
import { findFreePort } from '@tollbook/http/server/find-free-port'
import type { Config } from '../config.ts'
import { type ServiceSettings, serviceSetting } from '../settings/service-settings.ts'

export type Place = {
  readonly host: string
  readonly port: number
  /** Public address, without a trailing slash. */
  readonly baseUrl: string
}

/** The setting of the port of a service, or of a part that is not sold. */
export const portSetting = (name: string) => serviceSetting(name, 'PORT')

/**
 * Listen address and base URL of a service, or of a part; a port of 0 is replaced by a free one.
 * @throws ConfigError if neither a setting nor the service says its port
 */
export async function placeService(config: Config, name: string): Promise<Place> {
  const host = config.TOLLBOOK_HOST
  const { port: configured, baseUrl } = settingsOf(config, name)
  if (configured === undefined) throw new ConfigError([`${portSetting(name)}: required`])
  const port = configured || (await findFreePort(host))
  return { host, port, baseUrl: baseUrl ?? `http://${toReachable(host)}:${port}` }
}

/** The public address of a service; null if neither a setting nor the service says where it is. */
export async function findBaseUrl(config: Config, name: string): Promise<string | null> {
  const { port, baseUrl } = settingsOf(config, name)
  if (baseUrl !== undefined) return baseUrl
  return port === undefined ? null : (await placeService(config, name)).baseUrl
}

function settingsOf(config: Config, name: string): Pick<ServiceSettings, 'port' | 'baseUrl'> {
  if (name === 'report')
    return { port: config.TOLLBOOK_REPORT_PORT, baseUrl: config.TOLLBOOK_REPORT_BASE_URL }
  if (name === 'facilitator')
    return { port: config.TOLLBOOK_FACILITATOR_PORT, baseUrl: config.TOLLBOOK_FACILITATOR_BASE_URL }
  return config.services.get(name) ?? {}
}

/** Maps a wildcard bind address (0.0.0.0, ::) to loopback. */
function toReachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
