import type { Config } from '@tollbook/runtime/config'
import { PAID_SERVICES, type Place, placeService } from '@tollbook/runtime/places/addresses'
import { listAliasHosts } from '@tollbook/runtime/places/alias-hosts'

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
