import type { Config } from '@tollbook/runtime/config'
import { findBaseUrl } from '@tollbook/runtime/places/addresses'
import { listAliasHosts } from '@tollbook/runtime/places/alias-hosts'

/** Origins whose listings are read: the known paid services and their additional hosts. */
export async function findSources(config: Config): Promise<readonly string[]> {
  const places: string[] = []
  for (const [name, { baseUrl, port }] of config.services) {
    // A service on another process's free port cannot be found without a public address.
    const found = baseUrl ?? (port ? await findBaseUrl(config, name) : null)
    if (found !== null) places.push(found)
  }
  return [...places, ...listAliasHosts(config)]
}
