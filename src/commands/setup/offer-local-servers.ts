import type { Config } from '../../config.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { findLocalServers, type LocalServer } from '../../models/find-local-servers.ts'

/** Model servers on this machine, to be suggested; none if the operator disabled probing. */
export async function offerLocalServers(config: Config): Promise<readonly LocalServer[]> {
  if (config.TOLLBOOK_LOCAL_SERVERS === 'ignore') return []
  return findLocalServers({ fetch: createSafeFetch({ allowPrivateNetwork: true }) })
}
