import type { Config } from '../../config.ts'
import { createSafeFetch } from '../../fetching/safe-fetch.ts'
import { findLocalServers, type LocalServer } from '../../models/find-local-servers.ts'

/** Servers of models on this machine, to be offered; none where the operator does not want them asked. */
export async function offerLocalServers(config: Config): Promise<readonly LocalServer[]> {
  if (config.TOLLBOOK_LOCAL_SERVERS === 'ignore') return []
  return findLocalServers({ fetch: createSafeFetch({ allowPrivateNetwork: true }) })
}
