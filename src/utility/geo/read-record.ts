/** The location in a record of an mmdb file. */
export type PlaceRecord = {
  readonly country: string | null
  readonly region: string | null
  readonly city: string | null
  readonly postal: string | null
  readonly lat: number | null
  readonly lon: number | null
  readonly timezone: string | null
}

/**
 * Reads a record in the format of MaxMind (nested, with names by language), of ip-location-db or of IPinfo
 * (flat); null if it has no country and no coordinates, as in other kinds of files. Values of an unexpected
 * type count as absent: files may be damaged.
 */
export function readRecord(record: unknown): PlaceRecord | null {
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

/** Longer values are not names. */
const MAX_TEXT_LENGTH = 200

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
