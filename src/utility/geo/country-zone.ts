import { readDataLines } from '../../engines/timezone/zone-table.ts'

let loaded: Promise<ReadonlyMap<string, string | null>> | undefined

/** The only zone of a country by zone.tab; null if it has several. */
export async function findOnlyZone(country: string): Promise<string | null> {
  loaded ??= readCountries()
  return (await loaded).get(country) ?? null
}

async function readCountries(): Promise<ReadonlyMap<string, string | null>> {
  const zones = new Map<string, string | null>()
  for (const line of await readDataLines('zone.tab')) {
    const [country = '', , zone = ''] = line.split('\t')
    zones.set(country, zones.has(country) ? null : zone)
  }
  return zones
}
