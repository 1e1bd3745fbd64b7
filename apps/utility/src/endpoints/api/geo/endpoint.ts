import { isIP } from 'node:net'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import { isPublicAddress } from '@tollbook/safe-fetch/public-address'
import * as z from 'zod'
import type { AddressPlace } from '../../../geo/address-place.ts'
import type { UtilityPorts } from '../../../ports.ts'

const text = z.string().nullable()
const degrees = z.number().nullable()

const input = z.object({
  ip: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("IPv4 or IPv6 address. Defaults to the caller's address, as the server sees it."),
})

type Input = z.output<typeof input>

/** A request and its answer. */
const GEO_EXAMPLE = {
  input: { ip: '81.2.69.142' },
  output: {
    ip: '81.2.69.142',
    version: 4 as const,
    bogon: false,
    country: 'GB',
    country_name: 'United Kingdom',
    region: 'England',
    city: 'London',
    postal: null,
    lat: 51.5143,
    lon: -0.0912,
    ll: [51.5143, -0.0912],
    timezone: 'Europe/London',
    accuracy: 'city-approximate' as const,
    source: 'dbip-city',
    source_date: '2026-06-05',
    attribution:
      'IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0. Time zone: timezone-boundary-builder, from OpenStreetMap data, © OpenStreetMap contributors, ODbL 1.0.',
    ts: '2026-11-21T10:00:00.000Z',
  },
}

export const geo = defineEndpoint({
  id: 'geo',
  method: 'GET',
  path: '/api/geo',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Location of an IP address',
  description:
    'Approximate location of an IPv4 or IPv6 address: country, region, city, coordinates and time zone, with source, date and attribution of the data. Private and other special addresses are reported as bogons.',
  input,
  output: z.object({
    ip: z.string().describe('The parsed address; IPv4 in IPv6 is unwrapped.'),
    version: z.union([z.literal(4), z.literal(6)]),
    bogon: z
      .boolean()
      .describe('Whether the address is private, reserved or special, so that it has no location.'),
    country: text.describe('ISO 3166-1 alpha-2.'),
    country_name: text,
    region: text,
    city: text,
    postal: text,
    lat: degrees,
    lon: degrees,
    ll: z.array(z.number()).nullable().describe('Latitude and longitude.'),
    timezone: text.describe('IANA name.'),
    accuracy: z.enum(['city-approximate', 'region-approximate', 'country']).nullable(),
    source: text.describe('The data set.'),
    source_date: text.describe('Build time of the data set.'),
    attribution: text.describe('Attribution that the data licences require.'),
    ts: z.iso.datetime(),
  }),
  example: GEO_EXAMPLE,
  scope: ({ ip }) => (ip === undefined ? 'wallet' : 'public'),
  limits: { bodyBytes: 4096, timeoutMs: 10_000 },
  check: ({ ip }) =>
    ip === undefined || readAddress(ip) !== null
      ? []
      : [{ parameter: 'ip', detail: 'is not an IP address; look up host names with /api/dns' }],
  async handle({ input: args, ports, clientAddress, signal, now }: Call<Input, UtilityPorts, Address>) {
    const ip = readAddress(args.ip ?? clientAddress)
    if (ip === null) throw new ProblemError(NO_ADDRESS)
    const isBogon = !isPublicAddress(ip)
    const place = isBogon ? null : await ports.locate(ip, signal)
    if (!isBogon && !place) throw new ProblemError(UNKNOWN_PLACE)
    return json({
      ip,
      version: isIP(ip) === 6 ? (6 as const) : (4 as const),
      bogon: isBogon,
      ...describePlace(place),
      ts: now.toISOString(),
    })
  },
})

const NO_ADDRESS = {
  code: 'invalid_request',
  detail: "The caller's address is unknown here; send ip.",
  issues: [{ parameter: 'ip', detail: 'is required' }],
} as const

const UNKNOWN_PLACE = {
  code: 'cannot_be_served',
  detail: 'No installed data set has a location for this address.',
} as const

function describePlace(place: AddressPlace | null) {
  const { lat = null, lon = null } = place ?? {}
  return {
    country: place?.country ?? null,
    country_name: place?.countryName ?? null,
    region: place?.region ?? null,
    city: place?.city ?? null,
    postal: place?.postal ?? null,
    lat,
    lon,
    ll: lat === null || lon === null ? null : [lat, lon],
    timezone: place?.timezone ?? null,
    accuracy: place?.accuracy ?? null,
    source: place?.source ?? null,
    source_date: place?.sourceDate ?? null,
    attribution: place?.attribution ?? null,
  }
}

/**
 * Parses an IP address in any notation: in brackets, in upper case, with a zone, or IPv4 in IPv6
 * (`::ffff:1.2.3.4`, which becomes the IPv4 address); null if invalid.
 */
function readAddress(text: string): string | null {
  const bare = text.trim().replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : null
  const [address = '', zone] = bare.split('%')
  // The URL parser formats IPv6 as in RFC 5952, and all mapped addresses as two groups.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short) ?? []
  if (high === undefined || low === undefined) return zone === undefined ? short : `${short}%${zone}`
  const words = [high, low].map((word) => Number.parseInt(word, 16))
  return words.flatMap((word) => [word >> 8, word & 255]).join('.')
}
