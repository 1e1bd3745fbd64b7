import type { Config } from '../../runtime/config.ts'
import { PAID_SERVICES, type Place, placeService } from '../../runtime/places/addresses.ts'
import { listAliasHosts } from '../../runtime/places/alias-hosts.ts'

/** Origins whose listings are read: the configured paid services and their additional hosts. */
export async function findSources(config: Config): Promise<readonly string[]> {
  const places: Place[] = []
  for (const name of PAID_SERVICES) {
    const upper = name.toUpperCase() as Uppercase<typeof name>
    // A service on another process's free port cannot be found without a public address.
    const isKnown = config[`TOLLBOOK_${upper}_BASE_URL`] ?? config[`TOLLBOOK_${upper}_PORT`]
    if (isKnown) places.push(await placeService(config, name))
  }
  return [...places.map(({ baseUrl }) => baseUrl), ...listAliasHosts(config)]
}
