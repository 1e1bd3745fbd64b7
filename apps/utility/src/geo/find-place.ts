import { isIPv6 } from 'node:net'
import { Reader } from 'maxmind'
import { loadZoneMap } from '../engines/timezone/zone-map.ts'
import { loadZoneTable, readDataLines } from '../engines/timezone/zone-table.ts'
import type { AddressPlace } from './address-place.ts'
import { creditOf } from './data-set.ts'

export type PlaceQuestion = {
  readonly address: string
  readonly sets: readonly {
    readonly bytes: Buffer
    readonly name: string | null
    readonly attribution: string | null
  }[]
}

/** The location in a record of an mmdb file. */
type PlaceRecord = {
  readonly country: string | null
  readonly region: string | null
  readonly city: string | null
  readonly postal: string | null
  readonly lat: number | null
  readonly lon: number | null
  readonly timezone: string | null
}

/** Longer values are not names. */
const MAX_TEXT_LENGTH = 200

let loaded: Promise<ReadonlyMap<string, string | null>> | undefined

/** The location of an address by the first data set that has it; null if none does. */
export async function findPlace({ address, sets }: PlaceQuestion): Promise<AddressPlace | null> {
  for (const { bytes, name, attribution } of sets) {
    const found = askFile(bytes, address)
    if (!found) continue
    const zone = await findZone(found.record)
    const credit = attribution ?? creditOf(found.kind)
    return {
      ...found.record,
      countryName: nameCountry(found.record.country),
      timezone: zone.name,
      accuracy: describeAccuracy(found.record),
      source: name ?? found.kind,
      sourceDate: found.date,
      attribution: zone.isMapped ? `${credit} ${MAP_CREDIT}` : credit,
    }
  }
  return null
}

const MAP_CREDIT =
  'Time zone: timezone-boundary-builder, from OpenStreetMap data, © OpenStreetMap contributors, ODbL 1.0.'

/**
 * The metadata of a file.
 * @throws Error if the bytes are not an mmdb file.
 */
export function describeFile({ bytes }: { readonly bytes: Buffer }) {
  const { databaseType, ipVersion } = new Reader(bytes).metadata
  if (typeof databaseType !== 'string' || (ipVersion !== 4 && ipVersion !== 6))
    throw new Error("the file's metadata lacks a database type or an IP version")
  return { databaseType, ipVersion }
}

/** Null if the file has no record for the address or cannot be read, e.g. if it is damaged. */
function askFile(file: Buffer, address: string) {
  try {
    const reader = new Reader<never>(file)
    const { databaseType, ipVersion, buildEpoch } = reader.metadata
    // An IPv4 tree uses the first 32 bits of any address and would return a wrong location.
    if (isIPv6(address) && ipVersion !== 6) return null
    const record = readRecord(reader.get(address))
    if (!record) return null
    const isDated = Number.isFinite(buildEpoch.getTime())
    return {
      record,
      kind: String(databaseType),
      date: isDated ? buildEpoch.toISOString().slice(0, 10) : null,
    }
  } catch {
    // The reader throws on damaged data; the next data set is used.
    return null
  }
}

async function findZone({ timezone, lat, lon, country }: PlaceRecord) {
  const table = await loadZoneTable()
  if (timezone !== null && table.find(timezone)) return { name: timezone, isMapped: false }
  if (lat === null || lon === null) return { name: country && (await findOnlyZone(country)), isMapped: false }
  const zoneMap = await loadZoneMap()
  return { name: zoneMap(lat, lon).name, isMapped: true }
}

function nameCountry(country: string | null): string | null {
  if (country === null) return null
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(country) ?? null
}

function describeAccuracy({ city, region }: PlaceRecord): AddressPlace['accuracy'] {
  if (city !== null) return 'city-approximate'
  return region === null ? 'country' : 'region-approximate'
}

/** The only zone of a country by zone.tab; null if it has several. */
async function findOnlyZone(country: string): Promise<string | null> {
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

/**
 * Reads a record in the format of MaxMind (nested, with names by language), of ip-location-db or of IPinfo
 * (flat); null if it has no country and no coordinates, as in other kinds of files. Values of an unexpected
 * type count as absent: files may be damaged.
 */
function readRecord(record: unknown): PlaceRecord | null {
  const at = (...path: readonly (string | number)[]) => path.reduce(stepInto, record)
  const country =
    toCountry(at('country', 'iso_code')) ??
    toCountry(at('registered_country', 'iso_code')) ??
    toCountry(at('country_code')) ??
    toCountry(at('country'))
  const lat = toDegrees(at('location', 'latitude') ?? at('latitude') ?? at('lat'), 90)
  const lon = toDegrees(at('location', 'longitude') ?? at('longitude') ?? at('lng'), 180)
  // No address is in the sea where the equator meets the zero meridian; zeros mean unknown.
  const isPlaced = lat !== null && lon !== null && (lat !== 0 || lon !== 0)
  if (country === null && !isPlaced) return null
  return {
    country,
    region: toText(at('subdivisions', 0, 'names', 'en')) ?? toText(at('state1')) ?? toText(at('region')),
    city: toText(at('city', 'names', 'en')) ?? toText(at('city')),
    postal: toText(at('postal', 'code')) ?? toText(at('postcode')) ?? toText(at('postal_code')),
    lat: isPlaced ? lat : null,
    lon: isPlaced ? lon : null,
    timezone: toText(at('location', 'time_zone')) ?? toText(at('timezone')),
  }
}

function stepInto(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Readonly<Record<string | number, unknown>>)[key]
}

function toText(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_TEXT_LENGTH) return null
  const text = value.trim()
  return text === '' || !text.isWellFormed() ? null : text
}

/** Two letters; ZZ is the code for unknown. */
function toCountry(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Z]{2}$/.test(value) && value !== 'ZZ' ? value : null
}

/** Degrees with four decimals, about 11 m: finer than any such data. */
function toDegrees(value: unknown, max: number): number | null {
  const degrees = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof degrees !== 'number' || !(Math.abs(degrees) <= max)) return null
  return Math.round(degrees * 1e4) / 1e4
}
