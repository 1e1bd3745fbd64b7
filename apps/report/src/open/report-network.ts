import { BASE } from '@tollbook/chain/network'
import { ConfigError } from '@tollbook/flow/config-error'
import type { Config } from '@tollbook/runtime/config'

/** Whether payments of a network are read and published: the published form of a report names Base. */
export function hasReports({ TOLLBOOK_NETWORK: { id } }: Pick<Config, 'TOLLBOOK_NETWORK'>): boolean {
  return id === BASE.id
}

/** @throws ConfigError for another network */
export function requireReports(config: Config): void {
  const { nameV1 } = config.TOLLBOOK_NETWORK
  if (!hasReports(config))
    throw new ConfigError([
      `TOLLBOOK_NETWORK: payments on ${nameV1} are not reported; index, report and their commands need ${BASE.nameV1}`,
    ])
}
