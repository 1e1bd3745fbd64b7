import { findFreePort } from '@tollbook/http/server/find-free-port'
import type { Config } from '../config.ts'

export type Place = {
  readonly host: string
  readonly port: number
  /** Public address, without a trailing slash. */
  readonly baseUrl: string
}

export const PAID_SERVICES = ['social', 'utility', 'inference'] as const

/** A service of this product that is paid for. */
export type PaidService = (typeof PAID_SERVICES)[number]

/** Whether settings are named after this service. */
export function isPaidService(name: string): name is PaidService {
  return (PAID_SERVICES as readonly string[]).includes(name)
}

export type ServedName = 'report' | 'social' | 'utility' | 'inference' | 'facilitator'

export const portSetting = (name: ServedName) =>
  `TOLLBOOK_${name.toUpperCase() as Uppercase<ServedName>}_PORT` as const

/** Listen address and base URL of a service; a port of 0 is replaced by a free one. */
export async function placeService(config: Config, name: ServedName): Promise<Place> {
  const upper = name.toUpperCase() as Uppercase<typeof name>
  const host = config.TOLLBOOK_HOST
  const port = config[portSetting(name)] || (await findFreePort(host))
  return {
    host,
    port,
    baseUrl: config[`TOLLBOOK_${upper}_BASE_URL`] ?? `http://${toReachable(host)}:${port}`,
  }
}

/** Maps a wildcard bind address (0.0.0.0, ::) to loopback. */
function toReachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
